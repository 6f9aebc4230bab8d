//! The JSON of the Ethereum KZG ceremony, over BLS12-381 with points in Zcash's compressed form.
//!
//! A [`BatchTranscript`] is the state of four ceremonies of different sizes and everything needed to
//! verify how it came about; a [`BatchContribution`] is one participant's step. The sequencer itself
//! spells some keys `snake_case`; both are read, and `camelCase` is written. Texts are at most
//! some megabytes; cut the reader off (`std::io::Read::take`) where they come from strangers.

mod hex;

use std::io::{Read, Write};

use algebra::Affine;
use serde::{Deserialize, Serialize};

use crate::Error;
use hex::{G1, G2, OptionalPoint, Point, decode};

const TRANSCRIPT: &str = "KZG transcript";
const CONTRIBUTION: &str = "KZG contribution";

/// The powers in G1 and G2 of the four ceremonies.
pub const SIZES: [(usize, usize); 4] = [(4096, 65), (8192, 65), (16384, 65), (32768, 65)];

/// `[τ^i]₁` and `[τ^i]₂`, the numbers announced beside them checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Powers {
    /// `[τ^i]₁`.
    pub g1: Vec<Affine<G1>>,
    /// `[τ^i]₂`.
    pub g2: Vec<Affine<G2>>,
}

/// One participant's step in one of the ceremonies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The powers after it.
    pub powers: Powers,
    /// The participant's own secret times the generator of G2.
    pub public_key: Affine<G2>,
    /// A signature of the participant's identity under that key.
    pub signature: Option<Affine<G1>>,
}

/// One participant's step in all ceremonies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchContribution {
    /// A step for each.
    pub contributions: Vec<Contribution>,
    /// The participant's Ethereum signature of the public keys, in hexadecimal, or nothing.
    pub ecdsa_signature: String,
}

/// One ceremony with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The powers as they are now.
    pub powers: Powers,
    /// `[τ]₁` after each participant, beginning with the generator.
    pub running_products: Vec<Affine<G1>>,
    /// The participants' public keys, beginning with the generator.
    pub public_keys: Vec<Affine<G2>>,
    /// The participants' signatures of their identities, beginning with none.
    pub signatures: Vec<Option<Affine<G1>>>,
}

/// All ceremonies with their history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchTranscript {
    /// The ceremonies.
    pub transcripts: Vec<Transcript>,
    /// Who took part, such as `eth|0x…` or `git|id|name`, after an empty one for the beginning.
    pub participant_ids: Vec<String>,
    /// Their Ethereum signatures, in hexadecimal, or nothing.
    pub participant_ecdsa_signatures: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ContributionText {
    #[serde(rename = "numG1Powers")]
    g1_count: usize,
    #[serde(rename = "numG2Powers")]
    g2_count: usize,
    powers_of_tau: PowersText,
    #[serde(rename = "potPubkey")]
    public_key: Point<G2>,
    #[serde(rename = "blsSignature", default)]
    signature: OptionalPoint,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PowersText {
    #[serde(rename = "G1Powers")]
    g1: Vec<Point<G1>>,
    #[serde(rename = "G2Powers")]
    g2: Vec<Point<G2>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BatchContributionText {
    contributions: Vec<ContributionText>,
    #[serde(default, alias = "ecdsa_signature")]
    ecdsa_signature: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TranscriptText {
    #[serde(rename = "numG1Powers")]
    g1_count: usize,
    #[serde(rename = "numG2Powers")]
    g2_count: usize,
    powers_of_tau: PowersText,
    witness: WitnessText,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WitnessText {
    #[serde(rename = "runningProducts")]
    running_products: Vec<Point<G1>>,
    #[serde(rename = "potPubkeys")]
    public_keys: Vec<Point<G2>>,
    #[serde(rename = "blsSignatures")]
    signatures: Vec<OptionalPoint>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchTranscriptText {
    transcripts: Vec<TranscriptText>,
    #[serde(rename = "participantIds", alias = "participant_ids")]
    participant_ids: Vec<String>,
    #[serde(rename = "participantEcdsaSignatures", alias = "participant_ecdsa_signatures")]
    participant_ecdsa_signatures: Vec<String>,
}

impl BatchContribution {
    /// Reads a contribution; every point is on its curve and in the subgroup.
    ///
    /// # Errors
    /// [`Error::Json`]; [`Error::Transcript`] with what is wrong, naming the list.
    pub fn read(reader: impl Read) -> Result<Self, Error> {
        let text: BatchContributionText = parse(CONTRIBUTION, reader)?;
        let contributions = each(text.contributions, |one| {
            let mut keys = decode("KZG potPubkey", &[one.public_key])?.into_iter();
            let missing = Error::field(CONTRIBUTION, "potPubkey", "is missing");
            Ok(Contribution {
                powers: powers(CONTRIBUTION, one.g1_count, one.g2_count, &one.powers_of_tau)?,
                public_key: keys.next().ok_or(missing)?,
                signature: one.signature.decode("KZG blsSignature", 0)?,
            })
        })?;
        Ok(Self { contributions, ecdsa_signature: text.ecdsa_signature })
    }

    /// Writes the contribution as one line.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, writer: impl Write) -> Result<(), Error> {
        let contributions = self.contributions.iter().map(|one| ContributionText {
            g1_count: one.powers.g1.len(),
            g2_count: one.powers.g2.len(),
            powers_of_tau: PowersText::of(&one.powers),
            public_key: Point::of(&one.public_key),
            signature: OptionalPoint::of(one.signature.as_ref()),
        });
        let text = BatchContributionText {
            contributions: contributions.collect(),
            ecdsa_signature: self.ecdsa_signature.clone(),
        };
        print(CONTRIBUTION, writer, &text)
    }
}

impl BatchTranscript {
    /// Reads a transcript; every point is on its curve and in the subgroup, and each ceremony has
    /// as many products, keys and signatures as participants, the nameless first one included.
    ///
    /// # Errors
    /// [`Error::Json`]; [`Error::Record`]; [`Error::Transcript`] with what is wrong, naming the list.
    pub fn read(reader: impl Read) -> Result<Self, Error> {
        let text: BatchTranscriptText = parse(TRANSCRIPT, reader)?;
        let participants = text.participant_ids.len();
        if text.participant_ecdsa_signatures.len() != participants {
            let what = "participantEcdsaSignatures";
            return Err(Error::field(TRANSCRIPT, what, "is not as long as participantIds"));
        }
        let transcripts = each(text.transcripts, |one| {
            let lengths = [
                ("runningProducts", one.witness.running_products.len()),
                ("potPubkeys", one.witness.public_keys.len()),
                ("blsSignatures", one.witness.signatures.len()),
            ];
            let wrong = |(_, len): &(&'static str, usize)| *len != participants;
            if let Some((what, _)) = lengths.into_iter().find(wrong) {
                return Err(Error::field(TRANSCRIPT, what, "is not as long as participantIds"));
            }
            let signatures = one.witness.signatures.iter().zip(0..);
            let signatures = signatures.map(|(one, index)| one.decode("KZG blsSignatures", index));
            Ok(Transcript {
                powers: powers(TRANSCRIPT, one.g1_count, one.g2_count, &one.powers_of_tau)?,
                running_products: decode("KZG runningProducts", &one.witness.running_products)?,
                public_keys: decode("KZG potPubkeys", &one.witness.public_keys)?,
                signatures: signatures.collect::<Result<_, _>>()?,
            })
        })?;
        Ok(Self {
            transcripts,
            participant_ids: text.participant_ids,
            participant_ecdsa_signatures: text.participant_ecdsa_signatures,
        })
    }

    /// Writes the transcript as one line.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, writer: impl Write) -> Result<(), Error> {
        let transcripts = self.transcripts.iter().map(|one| TranscriptText {
            g1_count: one.powers.g1.len(),
            g2_count: one.powers.g2.len(),
            powers_of_tau: PowersText::of(&one.powers),
            witness: WitnessText {
                running_products: one.running_products.iter().map(Point::of).collect(),
                public_keys: one.public_keys.iter().map(Point::of).collect(),
                signatures: one
                    .signatures
                    .iter()
                    .map(|one| OptionalPoint::of(one.as_ref()))
                    .collect(),
            },
        });
        let text = BatchTranscriptText {
            transcripts: transcripts.collect(),
            participant_ids: self.participant_ids.clone(),
            participant_ecdsa_signatures: self.participant_ecdsa_signatures.clone(),
        };
        print(TRANSCRIPT, writer, &text)
    }
}

impl PowersText {
    fn of(powers: &Powers) -> Self {
        Self {
            g1: powers.g1.iter().map(Point::of).collect(),
            g2: powers.g2.iter().map(Point::of).collect(),
        }
    }
}

/// Reads one ceremony after the other, so that errors say which.
fn each<T, U>(texts: Vec<T>, read: impl Fn(T) -> Result<U, Error>) -> Result<Vec<U>, Error> {
    let read_one = |(index, text)| {
        read(text).map_err(|reason| Error::Transcript { index, reason: Box::new(reason) })
    };
    texts.into_iter().enumerate().map(read_one).collect()
}

fn powers(
    place: &'static str,
    g1_count: usize,
    g2_count: usize,
    text: &PowersText,
) -> Result<Powers, Error> {
    for (what, announced, got) in
        [("G1Powers", g1_count, text.g1.len()), ("G2Powers", g2_count, text.g2.len())]
    {
        if announced != got {
            return Err(Error::field(place, what, "is not as long as its number says"));
        }
    }
    Ok(Powers { g1: decode("KZG G1Powers", &text.g1)?, g2: decode("KZG G2Powers", &text.g2)? })
}

fn parse<T: for<'a> Deserialize<'a>>(place: &'static str, reader: impl Read) -> Result<T, Error> {
    let reader = std::io::BufReader::new(reader);
    serde_json::from_reader(reader).map_err(|reason| Error::Json { place, reason })
}

fn print(place: &'static str, writer: impl Write, text: &impl Serialize) -> Result<(), Error> {
    let mut writer = std::io::BufWriter::new(writer);
    serde_json::to_writer(&mut writer, text).map_err(|reason| Error::Json { place, reason })?;
    Ok(writer.flush()?)
}
