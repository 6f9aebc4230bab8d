//! A proof as a claim: statement and proof for anybody to verify.

use std::path::Path;

use circuit::json::public_from_json;
use claim::{
    Bundle, BundleWriter, Check, Claim, Explanation, Findings, Kind, Objects, Premise,
    PublishError, Refusal, Role, Verifier, require_within,
};
use serde_json::{Value as Json, json};
use wire::{Digest, Progress};

use super::{
    Accumulator, Curve, ElementSet, Parameters, Relation, SetFile, SetKey, SetProof, SetVerifier,
    Value,
    error::{SM_1, SM_2, SM_3, SM_4, SM_5, SM_6, SM_7, SM_8},
};

/// The kind of claim.
pub const CLAIM_KIND: &str = "set-membership";
const VERSION: u16 = 1;
const KEY: &str = "key";
const ACCUMULATOR: &str = "accumulator";
const COMMITMENT: &str = "commitment";
const PROOF: &str = "proof";
/// An optional role.
const SET: &str = "set";
/// Most bytes of a key, an accumulator, a commitment or a proof.
const OBJECT_LIMIT: u64 = 1 << 16;
/// Most bytes of a published set: 200,000 values of full size, and all of them to be hashed to primes by
/// every verifier.
pub const SET_LIMIT: u64 = 1 << 24;
/// Most elements of a set.
pub const MAX_ELEMENTS: usize = 1 << 24;
/// The domain of digests of keys and accumulators.
const DOMAIN: &str = "subrosa/snark/set-membership";

/// The files of a claim, as their bytes.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// A [`SetKey`].
    pub key: Vec<u8>,
    /// An [`Accumulator`].
    pub accumulator: Vec<u8>,
    /// A commitment, a [`Curve`] point.
    pub commitment: Vec<u8>,
    /// A [`SetProof`].
    pub proof: Vec<u8>,
    /// The set, if it is public: a JSON array of decimal numbers in strings. With it, the verifier
    /// computes the accumulator itself.
    pub set: Option<Vec<u8>>,
}

/// Verifies a proof and writes a bundle that claims what it says.
///
/// # Errors
/// [`PublishError`].
pub fn write_bundle(root: &Path, files: &Files) -> Result<Bundle, PublishError> {
    let Findings { statement, .. } = check(files)?;
    let mut writer = BundleWriter::create(root)?;
    let mut objects: Vec<(&str, &[u8])> = vec![
        (KEY, &files.key),
        (ACCUMULATOR, &files.accumulator),
        (COMMITMENT, &files.commitment),
        (PROOF, &files.proof),
    ];
    objects.extend(files.set.as_deref().map(|set| (SET, set)));
    writer.add_whole_claim(CLAIM_KIND, VERSION, &objects, statement)?;
    Ok(writer.finish()?)
}

/// Verifies claims of set membership.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetMembershipVerifier;

impl Verifier for SetMembershipVerifier {
    fn kind(&self) -> Kind {
        const ROLES: [Role; 5] = [
            Role::one(KEY),
            Role::one(ACCUMULATOR),
            Role::one(COMMITMENT),
            Role::one(PROOF),
            Role::optional(SET),
        ];
        Kind { name: CLAIM_KIND, versions: &[VERSION], roles: &ROLES }
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        _: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let has_set = claim.roles().any(|role| role == SET);
        let object = |role| objects.only_within(role, OBJECT_LIMIT);
        let files = Files {
            key: object(KEY)?,
            accumulator: object(ACCUMULATOR)?,
            commitment: object(COMMITMENT)?,
            proof: object(PROOF)?,
            set: has_set.then(|| objects.only_within(SET, SET_LIMIT)).transpose()?,
        };
        check(&files)
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        let field = |name: &str| claim.statement.get(name);
        // A statement that holds has every field that is asked for.
        let text = |name: &str| field(name).and_then(Json::as_str).unwrap_or("?").to_owned();
        let verb = if text("relation") == Relation::Member.name() { "is" } else { "is not" };
        let set = match field("elements").and_then(Json::as_u64) {
            Some(count) => format!("the published set of {count} values"),
            None => "the set behind this accumulator, which was not published".to_owned(),
        };
        vec![
            condition(&text("key"), &text("kind")),
            format!("the value in commitment {} {verb} in {set}", text("commitment")),
            format!("accumulator {}", text("accumulator")),
        ]
    }

    fn premises(&self, claim: &Claim) -> Vec<Premise> {
        // As in `describe`.
        let text = |name: &str| claim.statement.get(name).and_then(Json::as_str).unwrap_or("?");
        let premise =
            "that nobody knows the secrets of this key: its ceremony is not in the bundle";
        vec![Premise::new(format!("key:{}", text("key")), premise)]
    }
}

/// What every verdict depends on, and only its reader can know: who has the secrets of a key can prove
/// anything with it.
pub fn condition(key: &str, kind: &str) -> String {
    format!("if key {key} is of a ceremony for the circuit of {kind} elements:")
}

/// The digest by which claims name a key, an accumulator or a commitment: of the bytes of its file.
pub fn digest(file: &[u8]) -> Digest {
    Digest::of(DOMAIN, file)
}

/// What the files bear out.
fn check(files: &Files) -> Result<Findings, Refusal> {
    require_bounded(files)?;
    let parameters = Parameters::rsa_2048();
    let key: SetKey = read(&parameters, KEY, &files.key)?;
    let accumulator: Accumulator = read(&parameters, ACCUMULATOR, &files.accumulator)?;
    let commitment: Curve = read(&parameters, COMMITMENT, &files.commitment)?;
    let proof: SetProof = read(&parameters, PROOF, &files.proof)?;
    let refused = |phase| {
        move |error: super::Error| Refusal::new(phase, error.to_string()).under(error.check())
    };
    let (kind, relation) = (key.kind, proof.relation);
    let verifier = SetVerifier::new(parameters.clone(), key).map_err(refused(KEY))?;
    verifier.verify(relation, &accumulator, &commitment, &proof).map_err(refused(PROOF))?;
    let mut checks = vec![Check::new(format!("proof of {}", relation.name()), 1)];
    let mut elements = None;
    if let Some(set) = &files.set {
        let values = values(set).map_err(|reason| Refusal::new(SET, reason).under(SM_7))?;
        let set = ElementSet::new(kind, &values).map_err(refused(SET))?;
        if set.accumulate(&parameters) != accumulator {
            return Err(Refusal::new(SET, "the accumulator is of another set").under(SM_7));
        }
        checks.push(Check::new("elements accumulated again", set.len() as u64));
        elements = Some(set.len());
    }
    let digest = |bytes: &[u8]| digest(bytes).to_string();
    let statement = json!({
        "relation": relation.name(),
        "kind": kind.name(),
        "key": digest(&files.key),
        "accumulator": digest(&files.accumulator),
        "commitment": digest(&files.commitment),
        "elements": elements,
    });
    // Three limbs, three and two for products, and the cofactor.
    let bounded = 8 + usize::from(proof.responses.cofactor.is_some());
    let explanation = Explanation::new()
        .with(SM_1, "files of one relation, key and accumulator of one kind of elements", 4)
        .with(SM_2, "key", 1)
        .with(SM_3, "proof of the circuit", 1)
        .with(SM_4, "responses, each in its interval", bounded)
        .with(SM_5, "proof, of the key's kind of elements", 1)
        .with(SM_5, "equations between commitments to values", 2)
        .with(SM_6, "equations modulo N, in one", 4)
        // Where the set is not in the bundle, nothing is accumulated again.
        .with(SM_7, "elements accumulated again", elements.unwrap_or(0))
        .with(SM_8, "statement, as the files bear it out", 1);
    Ok(Findings::new(statement, checks).explained(explanation))
}

/// What is larger than a verifier would read is not published.
fn require_bounded(files: &Files) -> Result<(), Refusal> {
    let Files { key, accumulator, commitment, proof, set } = files;
    let parts = [(KEY, key), (ACCUMULATOR, accumulator), (COMMITMENT, commitment), (PROOF, proof)];
    let parts = parts.map(|(role, bytes)| (role, bytes, OBJECT_LIMIT));
    let set = set.iter().map(|bytes| (SET, bytes, SET_LIMIT));
    let mut parts = parts.into_iter().chain(set);
    parts.try_for_each(|(role, bytes, limit)| require_within(role, bytes, limit))
}

/// Values in a JSON array of decimal numbers in strings, as in `public.json`: [`MAX_ELEMENTS`] at most.
///
/// # Errors
/// What is wrong with the text.
pub fn values(json: &[u8]) -> Result<Vec<Value>, String> {
    // Before anything is made of them: there is a comma between any two.
    if json.iter().filter(|byte| **byte == b',').count() >= MAX_ELEMENTS {
        return Err(format!("more than {MAX_ELEMENTS} values"));
    }
    let text = std::str::from_utf8(json).map_err(|_| "is not text".to_owned())?;
    public_from_json(text).map_err(|error| error.to_string())
}

fn read<T: SetFile>(
    parameters: &Parameters,
    role: &'static str,
    bytes: &[u8],
) -> Result<T, Refusal> {
    let refused = |error: wire::DecodeError| Refusal::new(role, error.to_string()).under(SM_1);
    T::from_file(parameters, bytes).map_err(refused)
}
