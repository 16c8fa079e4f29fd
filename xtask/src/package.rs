//! `cargo xtask package`: the crates that can be published, packed and checked as for a registry.
//!
//! Of a package whose name is another's on crates.io the manifest has a name for there,
//! `package.metadata.registry.name`; the library keeps its own. So what is packed is a copy of the
//! workspace whose manifests have those names. Nothing is uploaded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use serde::Deserialize;
use toml::{Table, Value};

use crate::cargo;
use crate::error::BuildFailed;
use crate::terminal::{self, Talk};

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Pack only: build nothing and do not ask the registry
    #[arg(long)]
    offline: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let packages = published()?;
    let folder = cargo::target_directory()?.join("registry");
    let source = folder.join("source");
    copy(&source, &names(&packages))?;
    for package in &packages {
        license(&source, package)?;
    }
    terminal::begin("packing the crates");
    if !options.offline {
        // Builds each from its package, and keeps none.
        pack(&["publish", "--dry-run"], &packages, &folder)?;
    }
    pack(&["package", "--no-verify", "--offline"], &packages, &folder)?;
    for package in &packages {
        let (name, version) = (package.registry_name(), &package.version);
        let packed = folder.join(format!("package/{name}-{version}.crate"));
        println!("{}", packed.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Has cargo pack the copy, into a folder beside it.
fn pack(command: &[&str], packages: &[Package], folder: &Path) -> anyhow::Result<()> {
    let mut cargo = Command::new(cargo::program());
    cargo.envs(Talk::of_cargo()).args(command);
    for package in packages {
        cargo.args(["--package", package.registry_name()]);
    }
    // A repository around the copy ignores it.
    cargo.arg("--allow-dirty").arg("--target-dir");
    cargo.arg(folder).current_dir(folder.join("source"));
    let status = cargo.status().context("cargo could not be started")?;
    if !status.success() {
        let failed = format!("the crates could not be packed ({status})");
        return Err(BuildFailed(failed).into());
    }
    Ok(())
}

/// A package of the workspace, as cargo describes it.
#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
    /// The registries that it may go to; `None` for all.
    publish: Option<Vec<String>>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    registry: Option<Registry>,
}

#[derive(Debug, Deserialize)]
struct Registry {
    name: String,
}

impl Package {
    fn registry_name(&self) -> &str {
        let metadata = self.metadata.as_ref();
        let registry = metadata.and_then(|metadata| metadata.registry.as_ref());
        registry.map_or(&self.name, |registry| &registry.name)
    }
}

/// The packages that are not for this workspace alone.
fn published() -> anyhow::Result<Vec<Package>> {
    #[derive(Deserialize)]
    struct Workspace {
        packages: Vec<Package>,
    }
    let workspace: Workspace = cargo::metadata()?;
    let mut packages = workspace.packages;
    packages.retain(|package| package.publish.is_none());
    Ok(packages)
}

/// Names and what they are on the registry, where that differs.
fn names(packages: &[Package]) -> BTreeMap<&str, &str> {
    let both = packages
        .iter()
        .map(|package| (package.name.as_str(), package.registry_name()));
    both.filter(|(name, registry)| name != registry).collect()
}

/// Copies the files that git knows or would add, manifests with the registry's names.
fn copy(to: &Path, names: &BTreeMap<&str, &str>) -> anyhow::Result<()> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others"])
        .arg("--exclude-standard")
        .current_dir(cargo::root())
        .output()
        .context("git, which lists the files to pack, could not be started")?;
    if !listed.status.success() {
        bail!("git lists no files here: the crates are packed from a clone");
    }
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot replace {}", to.display()))?;
    }
    let paths = String::from_utf8(listed.stdout).context("a file's name is not UTF-8")?;
    for path in paths.split_terminator('\0').map(PathBuf::from) {
        let (from, new) = (cargo::root().join(&path), to.join(&path));
        // One that was removed, and not from git's index yet.
        if !from.is_file() {
            continue;
        }
        let folder = new.parent().unwrap_or(to);
        fs::create_dir_all(folder)
            .and_then(|()| fs::copy(&from, &new))
            .with_context(|| format!("cannot copy {}", path.display()))?;
        if path.file_name().is_some_and(|name| name == "Cargo.toml") {
            let text = fs::read_to_string(&from)?;
            let renamed = renamed(&text, names);
            fs::write(&new, renamed.with_context(|| path.display().to_string())?)?;
        }
    }
    Ok(())
}

/// Puts the licenses, which stand beside the workspace, into a package's folder.
fn license(source: &Path, package: &Package) -> anyhow::Result<()> {
    let manifest = package.manifest_path.strip_prefix(cargo::root());
    let manifest = manifest.context("a package is not in the workspace's folder")?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let new = source.join(manifest).with_file_name(license);
        fs::copy(source.join(license), new).with_context(|| format!("cannot copy {license}"))?;
    }
    Ok(())
}

/// A manifest with the registry's names: of its package, in the workspace's table and in profiles.
fn renamed(manifest: &str, names: &BTreeMap<&str, &str>) -> anyhow::Result<String> {
    let mut manifest: Table = manifest.parse()?;
    let package = manifest.get_mut("package");
    if let Some(name) = package.and_then(|package| package.get_mut("name"))
        && let Some(new) = name.as_str().and_then(|name| names.get(name))
    {
        *name = Value::from(*new);
    }
    for (name, new) in names {
        let dependencies = table(&mut manifest, &["workspace", "dependencies"]);
        let dependency = dependencies.and_then(|all| all.get_mut(*name));
        if let Some(dependency) = dependency.and_then(Value::as_table_mut) {
            dependency.insert("package".to_owned(), Value::from(*new));
        }
        let profiles = table(&mut manifest, &["profile", "dev", "package"]);
        if let Some(profiles) = profiles
            && let Some(settings) = profiles.remove(*name)
        {
            profiles.insert((*new).to_owned(), settings);
        }
    }
    Ok(manifest.to_string())
}

/// The table within tables that has these names, where it is there.
fn table<'a>(of: &'a mut Table, path: &[&str]) -> Option<&'a mut Table> {
    path.iter()
        .try_fold(of, |of, name| of.get_mut(*name)?.as_table_mut())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_gets_the_registrys_names_and_its_library_keeps_its_own() {
        let names = BTreeMap::from([("ptx", "our-ptx")]);
        let renamed = |manifest: &str| {
            let text = renamed(manifest, &names).expect("a manifest");
            text.parse::<Table>().expect("a manifest")
        };
        for (manifest, expected) in [
            (
                "[package]\nname = 'ptx' # ours\n[lib]\nname = 'ptx'\n[dependencies]\nptx.workspace = true",
                "[package]\nname = 'our-ptx'\n[lib]\nname = 'ptx'\n[dependencies]\nptx.workspace = true",
            ),
            (
                "[workspace.dependencies]\nptx = { path = 'ptx' }\nptx-run = { path = 'ptx-run' }\n\
                 [profile.dev.package.ptx]\nopt-level = 3",
                "[workspace.dependencies]\nptx = { package = 'our-ptx', path = 'ptx' }\n\
                 ptx-run = { path = 'ptx-run' }\n[profile.dev.package.our-ptx]\nopt-level = 3",
            ),
            (
                "workspace = { dependencies = { ptx.path = 'ptx' } }",
                "workspace.dependencies.ptx = { package = 'our-ptx', path = 'ptx' }",
            ),
        ] {
            let expected: Table = expected.parse().expect("a manifest");
            assert_eq!(renamed(manifest), expected, "{manifest}");
        }
    }

    #[test]
    fn those_whose_names_are_anothers_have_names_of_their_own_on_the_registry() {
        let packages = published().expect("cargo describes the workspace");
        let differing: Vec<_> = names(&packages).into_iter().collect();
        assert_eq!(
            differing,
            [
                ("cuda_builder", "nvptx-cuda-builder"),
                ("cuda_std", "nvptx-cuda-std"),
                ("cuda_std_macros", "nvptx-cuda-std-macros"),
                ("ptx-syntax", "nvptx-ptx-syntax"),
            ]
        );
        assert_eq!(packages.len(), 10);
    }

    /// What the registry shows of a package, and refuses it without.
    #[derive(Deserialize)]
    struct Shown {
        name: String,
        publish: Option<Vec<String>>,
        description: Option<String>,
        license: Option<String>,
        documentation: Option<String>,
        readme: Option<PathBuf>,
        keywords: Vec<String>,
        categories: Vec<String>,
        manifest_path: PathBuf,
        metadata: Option<BTreeMap<String, serde_json::Value>>,
    }

    /// What is missing of it, or too much.
    fn missing(shown: &Shown) -> Option<&'static str> {
        let readme = shown.readme.as_ref();
        let readme = readme.map(|readme| shown.manifest_path.with_file_name(readme));
        let has_docs = |metadata: &BTreeMap<_, _>| metadata.contains_key("docs");
        let rules = [
            ("a description", shown.description.is_some()),
            ("a license", shown.license.is_some()),
            ("documentation", shown.documentation.is_some()),
            ("a README", readme.is_some_and(|readme| readme.is_file())),
            ("1 to 5 keywords", (1..=5).contains(&shown.keywords.len())),
            (
                "1 to 5 categories",
                (1..=5).contains(&shown.categories.len()),
            ),
            (
                "settings for docs.rs",
                shown.metadata.as_ref().is_some_and(has_docs),
            ),
        ];
        rules
            .into_iter()
            .find_map(|(what, is_there)| (!is_there).then_some(what))
    }

    #[test]
    fn every_published_package_has_what_a_registry_shows_of_it() {
        #[derive(Deserialize)]
        struct Workspace {
            packages: Vec<Shown>,
        }
        let workspace: Workspace = cargo::metadata().expect("cargo describes the workspace");
        let published = |shown: &&Shown| shown.publish.is_none();
        for shown in workspace.packages.iter().filter(published) {
            assert_eq!(missing(shown), None, "{}", shown.name);
        }
        let mut bare = workspace
            .packages
            .into_iter()
            .find(|shown| shown.publish.is_some());
        let bare = bare.as_mut().expect("a package for this workspace alone");
        assert_eq!(missing(bare), Some("documentation"));
    }
}
