//! The verifier's word on a statement, as a claim of a bundle.
//!
//! Only the verifier of a session is convinced, since it could have made up the whole conversation.
//! What it can give to others is its signature under what it accepted: whoever trusts the signer may
//! take its word, and nobody else has reason to. The claim says so: [`NOTICE`].

use std::collections::BTreeMap;

use board::{AuthorId, Identity};
use claim::{
    BundleError, BundleWriter, Check, Claim, Explanation, Findings, Kind, Objects, Premise,
    Refusal, Role, Verifier,
};
use serde_json::{Value as Json, json};
use wire::{CheckName, Digest, Progress};

use super::{Assignments, Circuit, Statement, Value, Wires, read_assignments};
use crate::{
    convert::Converter,
    params::ParameterSet,
    session::{Setup, Soundness},
};

wire::check_names! {
    VV_1 = "VV-1",
    VV_2 = "VV-2",
    VV_3 = "VV-3",
    VV_4 = "VV-4",
    VV_5 = "VV-5",
}

/// The kind of these claims.
pub const CLAIM_KIND: &str = "vole-verdict";
/// What each of them says of itself.
pub const NOTICE: &str = "not publicly verifiable: a proof convinced the signer, who could sign \
                          without one";

const VERSION: u16 = 2;
/// Names neither the prover nor the session: two sessions gave equal bundles.
const OLD_VERSION: u16 = 1;
const DOMAIN: &str = "subrosa/vole/verdict";
const CIRCUIT: &str = "circuit";
const PUBLIC: &str = "public";
const SIGNATURE: &str = "signature";

/// What a verifier accepted.
pub struct Accepted<'a> {
    /// The statement.
    pub statement: &'a Statement<'a>,
    /// All outputs, as [`Statement::run`] returned them.
    pub outputs: &'a BTreeMap<String, Vec<i64>>,
    /// How the session was set up.
    pub setup: Setup,
    /// In which session, of whom, when and for whom.
    pub circumstances: Circumstances,
}

/// What makes a verdict one of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct Circumstances {
    /// The name of the session: no other has it.
    pub session: Digest,
    /// Who proved.
    pub subject: Subject,
    /// When, by the verifier's clock: seconds since 1970.
    pub time: u64,
    /// What somebody who will rely on the verdict gave to the verifier.
    pub nonce: Option<String>,
}

/// Who proved.
#[derive(Clone, PartialEq, Eq)]
pub enum Subject {
    /// The holder of this key, who signed the session.
    Prover(AuthorId),
    /// Whom the verifier says, in its own words.
    Named(String),
}

impl Subject {
    /// Whether it may be in a verdict: 1 to 200 characters that can be printed.
    pub fn is_name(name: &str) -> bool {
        (1..=200).contains(&name.chars().count()) && !name.chars().any(char::is_control)
    }
}

impl Circumstances {
    /// Whether it may be in a verdict: 2 to 128 lower-case hexadecimal digits.
    pub fn is_nonce(nonce: &str) -> bool {
        let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        (2..=128).contains(&nonce.len()) && nonce.bytes().all(is_digit)
    }

    /// Of a claim's statement.
    fn read(statement: &Json) -> Option<Self> {
        let word = |name: &str| statement.get(name).and_then(Json::as_str);
        let subject = match (word("prover"), word("subject")) {
            (Some(prover), None) => Subject::Prover(prover.parse().ok()?),
            (None, Some(name)) if Subject::is_name(name) => Subject::Named(name.to_owned()),
            _ => return None,
        };
        let nonce = match statement.get("nonce")? {
            Json::Null => None,
            nonce => Some(nonce.as_str().filter(|nonce| Self::is_nonce(nonce))?.to_owned()),
        };
        let session = word("session")?.parse().ok()?;
        Some(Self { session, subject, time: statement.get("time")?.as_u64()?, nonce })
    }
}

impl Accepted<'_> {
    fn stated(&self, signer: AuthorId) -> Json {
        let Circumstances { session, subject, time, nonce } = &self.circumstances;
        let mut stated = json!({
            "notice": NOTICE,
            "publicly_verifiable": false,
            "verifier": signer.to_string(),
            "session": session.to_string(),
            "time": time,
            "nonce": nonce,
            "outputs": self.statement.circuit().named(self.outputs),
            "gates": self.statement.circuit().gates().len(),
            "parameters": self.setup.correlations.id(),
            "converter": self.setup.converter.name(),
            "soundness": self.setup.soundness.name(),
            "soundness_bits": self.statement.soundness(self.setup) as u64,
            "assumptions": self.statement.assumptions(self.setup),
        });
        let (name, value) = match subject {
            Subject::Prover(prover) => ("prover", prover.to_string()),
            Subject::Named(name) => ("subject", name.clone()),
        };
        if let Some(object) = stated.as_object_mut() {
            object.insert(name.to_owned(), value.into());
        }
        stated
    }

    /// Adds the circuit's file, the public values and the signed claim to a bundle.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn add_to(
        &self,
        writer: &mut BundleWriter,
        circuit_file: &[u8],
        public: &Assignments,
        identity: &Identity,
    ) -> Result<(), BundleError> {
        let circuit = writer.add_object(CIRCUIT, circuit_file)?;
        let public = writer.add_object(PUBLIC, json!(public).to_string().as_bytes())?;
        let statement = self.stated(identity.id());
        let signature = identity.sign(DOMAIN, signed(circuit, public, &statement));
        let signature = writer.add_object(SIGNATURE, &signature)?;
        let objects =
            [(CIRCUIT, vec![circuit]), (PUBLIC, vec![public]), (SIGNATURE, vec![signature])];
        writer.add_claim("verdict", &Claim::new(CLAIM_KIND, VERSION, objects, statement))
    }
}

/// The words of version 1.
fn stated_before(
    statement: &Statement<'_>,
    outputs: &BTreeMap<String, Vec<i64>>,
    setup: Setup,
    signer: AuthorId,
) -> Json {
    let soundness = setup.soundness([2, 2]) - (statement.checks() as f64).log2();
    json!({
        "notice": NOTICE,
        "publicly_verifiable": false,
        "verifier": signer.to_string(),
        "outputs": statement.circuit().named(outputs),
        "gates": statement.circuit().gates().len(),
        "parameters": setup.correlations.id(),
        "converter": setup.converter.name(),
        "soundness_bits": soundness as u64,
    })
}

/// What the signature is of: both objects, and every word of the statement.
fn signed(circuit: Digest, public: Digest, statement: &Json) -> Digest {
    let text = json!([circuit.to_string(), public.to_string(), statement]).to_string();
    Digest::of(DOMAIN, text.as_bytes())
}

impl Circuit {
    /// The values of outputs by their names, as a file would have them: bits in hexadecimal.
    pub fn named(&self, outputs: &BTreeMap<String, Vec<i64>>) -> Assignments {
        let value = |output: &super::Output| {
            // A session gives every output. One left out would have no bits or numbers, which `read_outputs` refuses.
            let values = outputs.get(&output.name).cloned().unwrap_or_default();
            let value = match (&output.wires, values.as_slice()) {
                (Wires::Bits(_), bits) => Value::of_bits(bits),
                (Wires::Ints(_), [value]) => Value::Int(*value),
                (Wires::Ints(_), _) => Value::List(values),
            };
            (output.name.clone(), value)
        };
        self.outputs.iter().map(value).collect()
    }
}

/// Checks that a verdict is signed, and that what is signed fits the circuit and the public values.
/// That the statement is true is the signer's word.
#[derive(Clone, Copy, Debug, Default)]
pub struct VerdictVerifier;

impl Verifier for VerdictVerifier {
    fn kind(&self) -> Kind {
        const ROLES: [Role; 3] = [Role::one(CIRCUIT), Role::one(PUBLIC), Role::one(SIGNATURE)];
        Kind { name: CLAIM_KIND, versions: &[OLD_VERSION, VERSION], roles: &ROLES }
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        _: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let is_old = claim.version == OLD_VERSION;
        let refused = |phase: &str, check: CheckName| {
            let phase = phase.to_owned();
            move |error: String| Refusal::new(phase, error).under(check)
        };
        let text = String::from_utf8(objects.only(CIRCUIT)?)
            .map_err(|error| refused(CIRCUIT, VV_1)(error.to_string()))?;
        let circuit =
            Circuit::read(&text).map_err(|error| refused(CIRCUIT, VV_1)(error.to_string()))?;
        let public = read_assignments(&objects.only(PUBLIC)?)
            .map_err(|error| refused(PUBLIC, VV_2)(error.to_string()))?;
        let statement = Statement::new(&circuit, &public)
            .map_err(|error| refused(PUBLIC, VV_2)(error.to_string()))?;

        let of_claim = |what: &str| refused("claim", VV_4)(format!("{what}: not as it can be"));
        // What is missing is null, which is none of the values that are read below.
        let of_name = |name: &str| claim.statement.get(name).cloned().unwrap_or_default();
        let outputs: Assignments = serde_json::from_value(of_name("outputs"))
            .map_err(|_| of_claim("outputs").under(VV_3))?;
        let outputs = read_outputs(&statement, &outputs)?;
        // What is no text is an empty one, which names no key, converter or parameters.
        let word = |name: &str| of_name(name).as_str().unwrap_or_default().to_owned();
        let signer: AuthorId = word("verifier").parse().map_err(|_| of_claim("verifier"))?;
        let named = |known: &(&str, Converter)| known.0 == word("converter");
        let converter = Converter::NAMED.into_iter().find(named);
        let set = ParameterSet::ALL.into_iter().find(|set| set.id() == word("parameters"));
        let (Some((_, converter)), Some(correlations)) = (converter, set) else {
            return Err(of_claim("parameters"));
        };
        let mut setup = Setup { correlations, converter, ..Setup::default() };
        let stated = match is_old {
            true => stated_before(&statement, &outputs, setup, signer),
            false => {
                let mut levels = Soundness::ALL.into_iter();
                let soundness = levels.find(|level| level.name() == word("soundness"));
                setup.soundness = soundness.ok_or_else(|| of_claim("soundness"))?;
                let circumstances = Circumstances::read(&claim.statement);
                let circumstances =
                    circumstances.ok_or_else(|| of_claim("prover, session, time and nonce"))?;
                Accepted { statement: &statement, outputs: &outputs, setup, circumstances }
                    .stated(signer)
            }
        };

        let digest = |role: &str| {
            let mut digests = claim.objects(role);
            digests.next().ok_or_else(|| of_claim(role))
        };
        let message = signed(digest(CIRCUIT)?, digest(PUBLIC)?, &stated);
        let signature: [u8; 64] =
            objects.only(SIGNATURE)?.try_into().map_err(|_| of_claim(SIGNATURE).under(VV_5))?;
        if !signer.verify(DOMAIN, message, &signature) {
            let refusal = Refusal::new("signature", "not the signer's").by(signer.to_string());
            return Err(refusal.under(VV_5));
        }
        let what = "the signature holds (the proof cannot be checked)";
        let explanation = Explanation::new()
            .with(VV_1, "circuit, its gates within their bounds", circuit.gates().len())
            .with(VV_2, "public values", public.len())
            .with(VV_3, "outputs, none left out", outputs.len())
            .with(VV_4, "statement, as circuit, values and parameters make it", 1)
            .with(VV_5, "signature", 1);
        Ok(Findings::new(stated, vec![Check::new(what, 1)]).explained(explanation))
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        // A statement that holds names its signer.
        let signer = claim.statement.get("verifier").and_then(Json::as_str).unwrap_or("?");
        let mut lines = vec![NOTICE.to_owned(), format!("signed by {signer}")];
        if claim.version == OLD_VERSION {
            lines.push("version 1: it names neither the prover nor the session".to_owned());
        }
        for name in ["prover", "subject", "session", "time", "nonce", "soundness_bits"] {
            match claim.statement.get(name) {
                None | Some(Json::Null) => {}
                Some(Json::String(text)) => lines.push(format!("{name}: {text}")),
                Some(value) => lines.push(format!("{name}: {value}")),
            }
        }
        let outputs = claim.statement.get("outputs").and_then(Json::as_object);
        let outputs = outputs.into_iter().flatten();
        lines.extend(outputs.map(|(name, value)| format!("{name} = {value}")));
        lines
    }

    fn premises(&self, claim: &Claim) -> Vec<Premise> {
        // As in `describe`.
        let signer = claim.statement.get("verifier").and_then(Json::as_str).unwrap_or("?");
        let text = "that the signer tells the truth: nothing else shows what it states";
        vec![Premise::new(format!("word:{signer}"), text)]
    }
}

/// All outputs, each as the public values say if they do.
fn read_outputs(
    statement: &Statement<'_>,
    outputs: &Assignments,
) -> Result<BTreeMap<String, Vec<i64>>, Refusal> {
    let refused = |reason: String| Refusal::new("claim", reason).under(VV_3);
    let shown = Statement::new(statement.circuit, outputs);
    let shown = shown.map_err(|error| refused(error.to_string()))?;
    let mut read = BTreeMap::new();
    let pairs = statement.circuit.outputs.iter().zip(&shown.outputs).zip(&statement.outputs);
    for ((output, shown), claimed) in pairs {
        let name = &output.name;
        let shown = shown.clone().ok_or_else(|| refused(format!("output `{name}` is missing")))?;
        if claimed.as_ref().is_some_and(|claimed| *claimed != shown) {
            return Err(refused(format!("output `{name}` is not what was claimed")));
        }
        read.insert(name.clone(), shown);
    }
    Ok(read)
}
