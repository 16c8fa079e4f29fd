#!/bin/sh
# The compiler of the workspace's own packages in `cargo xtask test`, as cargo starts it: with rustc
# and its arguments. Lints are clippy's alone, which has rustc's too. What clippy and rustdoc deny is
# a warning, so that all is compiled and run whatever is found. What they make beside goes to folders
# of their own in the target folder, and cargo is not told of it.
rustc=$1
case $rustc in */*) beside=${rustc%/*}/ ;; *) beside= ;; esac
arguments=" $* "

# Tests and examples that have no use of a package's optimisation: they run for seconds, and take longer
# to optimise.
is_test= is_short=
case $arguments in *' --test '*) is_test=yes ;; esac
case $arguments in *' --test '* | *'/debug/examples '*) is_short=yes ;; esac
case $is_short$CARGO_PKG_NAME in
yescuda_builder | yescuda_inspect | yesptx-emulator | yesptx-syntax)
    for argument; do
        shift
        case $argument in opt-level=*) argument=opt-level=0 ;; esac
        set -- "$@" "$argument"
    done ;;
esac

# Copies of crates, which tests build.
case $QUADSCAN_COMPILE_ONLY in ?*) exec "$@" ;; esac

# Crates that rustc compiles, before clippy looks at them: it compiles without rustc's own
# optimisation, which makes the emulator a quarter slower, and for it the kernels' package has
# modules for the host that it has for nobody else.
by_rustc=
case $arguments in
*' --crate-name ptx_emulator '* | *' --crate-name quadscan_kernels '*) by_rustc=yes ;;
esac
case $by_rustc in
yes) "$@" --cap-lints=allow || exit ;;
*) "${beside}clippy-driver" "$@" --cap-lints=warn || exit ;;
esac

last= folder=
for argument; do
    shift
    case $last in --out-dir) folder=${argument%/debug/*} ;; esac
    case $last$argument in
    --emit=* | --json=* | --out-dir*) ;;
    *) set -- "$@" "$argument" ;;
    esac
    case $argument in --out-dir) last=$argument ;; *) last= ;; esac
done
case $by_rustc in
yes) "${beside}clippy-driver" "$@" --emit=metadata="$folder/clippy.rmeta" --cap-lints=warn || exit ;;
esac

case $is_test$arguments in
yes* | *' --cfg test '* | *' --crate-name build_script_'*) exit ;;
*' --crate-type bin --emit='*)
    set -- "$@" --document-private-items --allow=rustdoc::private-intra-doc-links ;;
*' --emit='*) ;;
*) exit ;;
esac
shift
exec "${beside}rustdoc" "$@" --out-dir "$folder/doc/$CARGO_PKG_NAME" --cap-lints=warn
