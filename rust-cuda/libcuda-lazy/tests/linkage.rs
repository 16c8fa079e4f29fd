//! A program that uses `cust_raw` and this crate does not need the driver to start.

use std::fs;
use std::path::Path;

use libcuda_lazy as _;
use object::Endianness;
use object::elf::{DT_NEEDED, FileHeader64};
use object::read::elf::{Dyn, ElfFile};

/// The libraries that this program asks the system's loader for.
fn needed_libraries() -> Vec<String> {
    let program = fs::read(std::env::current_exe().expect("a path")).expect("this program");
    let file = ElfFile::<FileHeader64<Endianness>>::parse(&*program).expect("an ELF file");
    let endian = file.endian();
    let (entries, strings) = file
        .elf_section_table()
        .dynamic(endian, &*program)
        .expect("a dynamic section")
        .expect("a dynamic section");
    let strings = file
        .elf_section_table()
        .strings(endian, &*program, strings)
        .expect("its strings");
    entries
        .iter()
        .filter(|entry| entry.tag(endian) == DT_NEEDED)
        .map(|entry| entry.string(endian, strings).expect("a name"))
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

#[test]
fn the_program_asks_the_loader_for_libc_but_not_for_libcuda() {
    // A call that the linker has to resolve.
    // SAFETY: no preconditions.
    let _ = std::hint::black_box(unsafe { cust_raw::cuInit(0) });
    let needed = needed_libraries();
    assert!(
        needed.iter().any(|name| name.starts_with("libc.so")),
        "{needed:?}"
    );
    assert!(
        !needed.iter().any(|name| name.contains("cuda")),
        "{needed:?}"
    );
}

#[test]
fn the_linker_is_told_where_the_stub_of_the_library_is() {
    // What the build script printed.
    let printed = Path::new(env!("OUT_DIR")).with_file_name("output");
    let printed = fs::read_to_string(printed).expect("cargo kept it");
    let folder = printed
        .lines()
        .find_map(|line| line.strip_prefix("cargo::rustc-link-search=native="));
    let folder = Path::new(folder.expect("a folder is named"));
    assert_eq!(
        fs::read(folder.join("libcuda.a")).ok().as_deref(),
        Some(&b"!<arch>\n"[..])
    );
}
