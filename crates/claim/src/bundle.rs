//! Reading and writing bundles.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
    fs::{self, File},
    io,
    path::{Component, Path, PathBuf},
};

use thiserror::Error;
use wire::{CheckName, Digest};

use crate::{
    Claim, Refusal,
    checks::{CB_1, CB_2, CB_3, CB_4, CB_5, CB_6, CB_8, CB_9, CB_10, CB_11},
    manifest::{
        FORMAT, HexDigest, Manifest, SPECIFICATION, VERSION, from_canonical_json,
        require_interoperable, to_canonical_json,
    },
};

const MANIFEST: &str = "bundle.json";
const DOMAIN: &str = "subrosa/bundle/file";
/// A manifest of a million files, and a claim about them, stay below this.
const JSON_LIMIT: u64 = 1 << 28;
/// No object of any system is larger.
const FILE_LIMIT: u64 = 1 << 32;

/// Why a bundle cannot be opened or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The directory or its manifest is not there or not readable.
    #[error("{}: not a bundle: {source}", path.display())]
    NotABundle {
        /// What was looked for.
        path: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
    /// The manifest is damaged or of another version.
    #[error("{MANIFEST}: {reason}")]
    Manifest {
        /// What is wrong with it.
        reason: String,
        /// The check that it fails.
        check: CheckName,
    },
    /// A file cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
}

impl BundleError {
    /// The check that the bundle fails, if there is one to check.
    pub fn check(&self) -> Option<CheckName> {
        match self {
            Self::Manifest { check, .. } => Some(*check),
            Self::NotABundle { .. } if !self.is_usage() => Some(CB_1),
            Self::NotABundle { .. } | Self::Write { .. } => None,
        }
    }

    /// Whether there is no bundle at all, as opposed to one that is damaged.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NotABundle { source, .. } => {
                matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            }
            Self::Write { .. } => true,
            Self::Manifest { .. } => false,
        }
    }
}

/// A bundle on disk whose manifest has been read; its files are checked as they are used.
#[derive(Clone, Debug)]
pub struct Bundle {
    root: PathBuf,
    manifest: Manifest,
    paths: HashMap<Digest, String>,
}

impl Bundle {
    /// Reads the manifest of the bundle in a directory.
    ///
    /// # Errors
    /// [`BundleError::NotABundle`] if there is none, [`BundleError::Manifest`] if it is damaged.
    pub fn open(root: &Path) -> Result<Self, BundleError> {
        let path = root.join(MANIFEST);
        let bytes = require_plain(&path)
            .and_then(|()| wire::read_bounded(&path, JSON_LIMIT))
            .map_err(|source| BundleError::NotABundle { path, source })?;
        let refused = |check| move |reason| BundleError::Manifest { reason, check };
        let manifest: Manifest = from_canonical_json(&bytes).map_err(refused(CB_1))?;
        manifest.require_known().map_err(refused(CB_1))?;
        if let Some(path) = manifest.files.keys().find(|path| !is_plain(path)) {
            return Err(refused(CB_2)(format!("`{path}` is not a path inside the bundle")));
        }
        if manifest.claims.iter().collect::<BTreeSet<_>>().len() < manifest.claims.len() {
            return Err(refused(CB_3)("a claim is listed twice".to_owned()));
        }
        Ok(Self::new(root.to_owned(), manifest))
    }

    fn new(root: PathBuf, manifest: Manifest) -> Self {
        let paths = manifest.files.iter().map(|(path, digest)| (digest.0, path.clone())).collect();
        Self { root, manifest, paths }
    }

    /// The digest that stands for the whole bundle.
    ///
    /// # Errors
    /// [`BundleError::Manifest`] if the manifest cannot be written out again.
    pub fn digest(&self) -> Result<Digest, BundleError> {
        let json = to_canonical_json(&self.manifest);
        let refused = |error: serde_json::Error| BundleError::Manifest {
            reason: error.to_string(),
            check: CB_1,
        };
        let json = json.map_err(refused)?;
        Ok(Digest::of(DOMAIN, &json))
    }

    /// The number of files, without the manifest.
    pub fn len(&self) -> usize {
        self.manifest.files.len()
    }

    /// Whether the bundle has no files.
    pub fn is_empty(&self) -> bool {
        self.manifest.files.is_empty()
    }

    /// Checks every file against the manifest and that no file is there without being listed.
    pub(crate) fn check_files(&self) -> Result<(), Refusal> {
        let unlisted = files_below(&self.root, &self.root)
            .map_err(|error| Refusal::new("files", error.to_string()).under(CB_4))?
            .into_iter()
            .find(|path| path != MANIFEST && !self.manifest.files.contains_key(path));
        if let Some(path) = unlisted {
            let reason = format!("`{path}` is not in {MANIFEST}");
            return Err(Refusal::new("files", reason).under(CB_4));
        }
        self.manifest.files.iter().try_for_each(|(path, expected)| {
            let digest = File::open(self.root.join(path))
                .and_then(|file| Digest::of_reader(DOMAIN, file))
                .map_err(|error| refused(CB_5, path, error))?;
            require(path, digest, expected)
        })
    }

    /// Checks that every file is a claim or an object of one: what no claim speaks of is not
    /// verified, and must not look as if it were.
    pub(crate) fn check_references<'a>(
        &self,
        claims: impl IntoIterator<Item = &'a Claim>,
    ) -> Result<(), Refusal> {
        let objects: HashSet<Digest> = claims.into_iter().flat_map(Claim::all_objects).collect();
        let claims: HashSet<&String> = self.manifest.claims.iter().collect();
        let files = &mut self.manifest.files.iter();
        match files.find(|(path, digest)| !claims.contains(path) && !objects.contains(&digest.0)) {
            Some((path, _)) => Err(refused(CB_8, path, "no claim speaks of this file")),
            None => Ok(()),
        }
    }

    /// Reads every claim, by path.
    pub(crate) fn claims(&self) -> Result<Vec<(String, Claim)>, Refusal> {
        let read = |path: &String| {
            let claim = from_canonical_json(&self.read(path, JSON_LIMIT, CB_5)?);
            let claim = claim.and_then(|claim: Claim| {
                if self.manifest.is_interoperable() {
                    require_interoperable(&claim.statement)?;
                }
                Ok(claim)
            });
            Ok((path.clone(), claim.map_err(|reason| refused(CB_6, path, reason))?))
        };
        self.manifest.claims.iter().map(read).collect()
    }

    /// Reads a file; one that is larger than the limit fails `check`.
    fn read(&self, path: &str, limit: u64, check: CheckName) -> Result<Vec<u8>, Refusal> {
        let unlisted = || refused(CB_6, path, format!("not in {MANIFEST}"));
        let expected = self.manifest.files.get(path).ok_or_else(unlisted)?;
        let bytes = wire::read_bounded(&self.root.join(path), limit)
            .map_err(|error| refused(check, path, error))?;
        require(path, Digest::of(DOMAIN, &bytes), expected)?;
        Ok(bytes)
    }

    /// The path of the file with this digest.
    fn require_listed(&self, digest: Digest) -> Result<&str, Refusal> {
        let missing =
            || Refusal::new("files", format!("no file has the digest {digest}")).under(CB_10);
        self.paths.get(&digest).map(String::as_str).ok_or_else(missing)
    }
}

/// The objects that one claim speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    pub(crate) bundle: &'a Bundle,
    pub(crate) claim: &'a Claim,
}

impl Objects<'_> {
    /// The bytes of every object in a role, in the order of the claim, read one at a time.
    ///
    /// # Errors
    /// [`Refusal`] for an object that the bundle does not hold or whose bytes have changed.
    pub fn all(&self, role: &str) -> impl Iterator<Item = Result<Vec<u8>, Refusal>> {
        self.all_within(role, FILE_LIMIT)
    }

    /// The bytes of the one object in a role.
    ///
    /// # Errors
    /// [`Refusal`] if the claim names none or several, otherwise as [`Objects::all`].
    pub fn only(&self, role: &str) -> Result<Vec<u8>, Refusal> {
        self.only_within(role, FILE_LIMIT)
    }

    /// The bytes of the one object in a role, of which there are `limit` at most: no more are read.
    ///
    /// # Errors
    /// As [`Objects::only`]; [`Refusal`] if the object is larger.
    pub fn only_within(&self, role: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
        let mut objects = self.all_within(role, limit);
        let reason = || format!("the claim must name one object as `{role}`");
        let refused = || Refusal::new("files", reason()).under(CB_9);
        match (objects.next(), objects.next()) {
            (Some(object), None) => object,
            _ => Err(refused()),
        }
    }

    /// The bytes of every object in a role, of each of which there are `limit` at most.
    ///
    /// # Errors
    /// As [`Objects::all`]; [`Refusal`] if the object is larger.
    pub fn all_within(
        &self,
        role: &str,
        limit: u64,
    ) -> impl Iterator<Item = Result<Vec<u8>, Refusal>> {
        let check = if limit < FILE_LIMIT { CB_11 } else { CB_5 };
        self.claim
            .objects(role)
            .map(move |digest| self.bundle.read(self.bundle.require_listed(digest)?, limit, check))
    }

    /// Requires that every digest which the claim names is that of a file.
    pub(crate) fn require_listed(&self) -> Result<(), Refusal> {
        let listed = |digest| self.bundle.require_listed(digest).map(|_| ());
        self.claim.all_objects().try_for_each(listed)
    }
}

/// Writes a bundle; it exists as such when [`BundleWriter::finish`] has written the manifest.
#[derive(Debug)]
pub struct BundleWriter {
    root: PathBuf,
    claims: Vec<String>,
    files: BTreeMap<String, HexDigest>,
}

impl BundleWriter {
    /// Starts a bundle in a directory, which is created if need be and must hold no files.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn create(root: &Path) -> Result<Self, BundleError> {
        let failed = |source| BundleError::Write { path: root.to_owned(), source };
        fs::create_dir_all(root).map_err(failed)?;
        if !files_below(root, root).map_err(failed)?.is_empty() {
            return Err(failed(io::Error::new(
                io::ErrorKind::DirectoryNotEmpty,
                "the directory holds other files; name a new one",
            )));
        }
        Ok(Self { root: root.to_owned(), claims: Vec::new(), files: BTreeMap::new() })
    }

    /// Adds an object under `objects/` and returns its digest, by which claims refer to it.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn add_object(&mut self, path: &str, bytes: &[u8]) -> Result<Digest, BundleError> {
        self.add(format!("objects/{path}"), bytes)
    }

    /// Adds a claim.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn add_claim(&mut self, name: &str, claim: &Claim) -> Result<(), BundleError> {
        let path = format!("claims/{name}.json");
        let json = require_interoperable(&claim.statement)
            .map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))
            .and_then(|()| Ok(to_canonical_json(claim)?));
        let json =
            json.map_err(|source| BundleError::Write { path: self.root.join(&path), source })?;
        self.add(path.clone(), &json)?;
        self.claims.push(path);
        Ok(())
    }

    /// Adds a claim with one object in each of its roles, and these objects; both are named after the kind.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn add_whole_claim(
        &mut self,
        kind: &str,
        version: u16,
        objects: &[(&str, &[u8])],
        statement: serde_json::Value,
    ) -> Result<(), BundleError> {
        let objects = objects.iter().map(|(role, bytes)| {
            Ok((*role, vec![self.add_object(&format!("{kind}/{role}"), bytes)?]))
        });
        let objects: Vec<_> = objects.collect::<Result<_, BundleError>>()?;
        self.add_claim(kind, &Claim::new(kind, version, objects, statement))
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn finish(self) -> Result<Bundle, BundleError> {
        let Self { root, claims, files } = self;
        let (format, specification) = (FORMAT.to_owned(), Some(SPECIFICATION));
        let manifest = Manifest { format, version: VERSION, specification, claims, files };
        let path = root.join(MANIFEST);
        to_canonical_json(&manifest)
            .map_err(io::Error::from)
            .and_then(|json| wire::write_new(&path, &json))
            .map_err(|source| BundleError::Write { path, source })?;
        Ok(Bundle::new(root, manifest))
    }

    fn add(&mut self, path: String, bytes: &[u8]) -> Result<Digest, BundleError> {
        let full = self.root.join(&path);
        let outside = || io::Error::new(io::ErrorKind::InvalidInput, "not inside the bundle");
        let written = is_plain(&path)
            .then_some(())
            .ok_or_else(outside)
            // A plain path is below the root, so that it has a parent.
            .and_then(|()| fs::create_dir_all(full.parent().unwrap_or(&self.root)))
            .and_then(|()| wire::write_new(&full, bytes));
        written.map_err(|source| BundleError::Write { path: full, source })?;
        let digest = Digest::of(DOMAIN, bytes);
        self.files.insert(path, HexDigest(digest));
        Ok(digest)
    }
}

/// Whether a listed path stays inside the bundle, on every platform, and has no other spelling.
fn is_plain(path: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part != "." && part != "..";
    path.split('/').all(is_name)
        && !path.contains('\\')
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The paths of all files; an error for anything that is neither a file nor a directory.
fn files_below(root: &Path, directory: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        if kind.is_dir() {
            files.extend(files_below(root, &path)?);
            continue;
        }
        require_plain(&path)?;
        if let Ok(relative) = path.strip_prefix(root) {
            let parts = relative.components().map(|part| part.as_os_str().to_str());
            let unusual = || io::Error::other(format!("{}: not a name in UTF-8", path.display()));
            files.push(parts.collect::<Option<Vec<_>>>().ok_or_else(unusual)?.join("/"));
        }
    }
    Ok(files)
}

/// A link leads out of the bundle, and a pipe is read for ever.
fn require_plain(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{}: not a plain file", path.display()))),
    }
}

fn require(path: &str, digest: Digest, expected: &HexDigest) -> Result<(), Refusal> {
    match digest == expected.0 {
        true => Ok(()),
        false => {
            Err(refused(CB_5, path, format!("its bytes do not have the digest in {MANIFEST}")))
        }
    }
}

fn refused(check: CheckName, path: &str, reason: impl fmt::Display) -> Refusal {
    Refusal::new("files", format!("`{path}`: {reason}")).under(check)
}
