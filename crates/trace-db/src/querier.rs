//! The querier: its signatures for both passes, and what it reads at the end.

use std::sync::Arc;

use algebra::Scalar as _;
use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::{PublicKey, SecretKey};
use zeroize::Zeroizing;

use super::{
    Outputs, Pass, Proof, Reading, Side, Verdict,
    asked::Asked,
    bases::G1,
    offer::Offer,
    progress::{Opened, Progress, Proven, Proving, Stage, out_of_place},
    record::{Published, put_answer},
    relation::Relation,
    rsm::BbsOffer,
    signature::{BbKey, BbsKey},
    sm::BbOffer,
};
use trace::{By, Direction, Query, Question, Request, SignedRequest, TraceError, parts::fresh};

/// The secret keys x of both passes of one query. Whoever has them can prove anything to whoever
/// trusts the query: they are erased when dropped.
pub enum PassKeys {
    /// Of a query that goes in.
    In([BbKey; 2]),
    /// Of a query that goes out.
    Out([BbsKey; 2]),
}

/// A querier: the key that it signs with and the key that responses are sealed to.
pub struct Querier {
    identity: Identity,
    key: SecretKey<G1>,
}

/// What a querier finds out.
pub struct Found {
    /// The answer.
    pub verdict: Verdict,
    /// The answer as it can be published: a record that convinces others.
    pub record: Vec<u8>,
}

impl Querier {
    /// A querier with these keys.
    pub fn new(identity: Identity, key: SecretKey<G1>) -> Self {
        Self { identity, key }
    }

    /// By what policies name the querier.
    pub fn id(&self) -> AuthorId {
        self.identity.id()
    }

    /// Asks one question, by value: the signed request, and signatures for both passes under keys
    /// of their own. These follow from the querier's secret key and the request, so that a querier that
    /// was killed has them again ([`Querier::recall`]).
    ///
    /// # Errors
    /// [`TraceError::Query`], [`TraceError::IndexRange`]; [`TraceError::Ciphertext`] if a
    /// submission's opening is not proven (1.7 S0).
    pub fn ask(
        &self,
        outputs: &Arc<Outputs>,
        direction: Direction,
        question: Question,
        rng: &mut impl CryptoRng,
    ) -> Result<(Query<G1>, [Offer; 2], PassKeys), TraceError> {
        let request = Request {
            session: *outputs.session().id(),
            direction,
            by: By::Value,
            questions: vec![question],
            key: self.key.public_key(),
            querier: self.id(),
            nonce: [0; 32],
        };
        let query = Query::new(vec![SignedRequest::sign(request, &self.identity, rng)])?;
        let (offers, keys) = self.sign(outputs, &query)?;
        Ok((query, offers, keys))
    }

    /// The keys of a query that this querier asked.
    ///
    /// # Errors
    /// [`TraceError::Query`] if another one did; those of [`Querier::ask`].
    pub fn recall(&self, asked: &Asked) -> Result<PassKeys, TraceError> {
        let (offers, keys) = self.sign(asked.outputs(), asked.query())?;
        match offers == *asked.offers() {
            true => Ok(keys),
            false => Err(TraceError::Query("this querier did not ask it")),
        }
    }

    fn sign(
        &self,
        outputs: &Arc<Outputs>,
        query: &Query<G1>,
    ) -> Result<([Offer; 2], PassKeys), TraceError> {
        let secret = Zeroizing::new(self.key.scalar().encode());
        let rng = &mut fresh::repeatable(&secret, "keys of passes", query.id());
        let pass = |side| Pass::new(outputs.clone(), query.clone(), side);
        let [asked, complement] = Side::BOTH;
        let passes = [pass(asked)?, pass(complement)?];
        Ok(match query.direction() {
            Direction::In => {
                let keys = [(); 2].map(|()| BbKey::generate(outputs.values(), rng));
                (self.sign_values(&passes, &keys), PassKeys::In(keys))
            }
            Direction::Out => {
                outputs.inputs().verify_openings()?;
                let [asked, complement] = &passes;
                let (first, asked) = self.sign_commitments(asked, rng);
                let (second, complement) = self.sign_commitments(complement, rng);
                ([first, second], PassKeys::Out([asked, complement]))
            }
        })
    }

    fn sign_values(&self, passes: &[Pass; 2], keys: &[BbKey; 2]) -> [Offer; 2] {
        let ([first, second], [x_1, x_2]) = (passes, keys);
        [(first, x_1), (second, x_2)]
            .map(|(pass, key)| Offer::In(BbOffer::new(pass, key, &self.identity)))
    }

    /// A key that cannot sign one of the commitments is drawn with probability 2^-200.
    fn sign_commitments(&self, pass: &Pass, rng: &mut impl CryptoRng) -> (Offer, BbsKey) {
        loop {
            let key = BbsKey::generate(rng);
            if let Some(offer) = BbsOffer::new(pass, &key, &self.identity) {
                return (Offer::Out(offer), key);
            }
        }
    }

    /// Opens all responses, and checks both proofs with the keys x: no pairing.
    ///
    /// # Errors
    /// [`TraceError::Query`] before all responses are there, or with the keys of another query;
    /// [`TraceError::UnreadableShare`], [`TraceError::DisputedShare`] or [`TraceError::Step`]
    /// naming a server.
    pub fn read(&self, asked: &Asked, keys: &PassKeys) -> Result<Found, TraceError> {
        let [first, second] = asked.sides();
        let read = match keys {
            PassKeys::In([x_1, x_2]) => {
                [self.read_inward(first, x_1)?, self.read_inward(second, x_2)?]
            }
            PassKeys::Out([x_1, x_2]) => {
                [self.read_outward(first, x_1)?, self.read_outward(second, x_2)?]
            }
        };
        let [(in_set, first_proof), (outside, second_proof)] = read;
        let verdict = Verdict::of(first.pass(), &in_set, &outside)?;
        Ok(Found { verdict, record: put_answer(asked, &[first_proof, second_proof]) })
    }

    fn read_inward(
        &self,
        side: &Progress,
        key: &BbKey,
    ) -> Result<(Reading, Published), TraceError> {
        match &side.stage {
            Stage::SmProof(proving) => self.read_proof(proving, key),
            _ => Err(out_of_place()),
        }
    }

    fn read_outward(
        &self,
        side: &Progress,
        key: &BbsKey,
    ) -> Result<(Reading, Published), TraceError> {
        match &side.stage {
            Stage::RsmProof(proving) => self.read_proof(proving, key),
            _ => Err(out_of_place()),
        }
    }

    fn read_proof<O: Opened>(
        &self,
        proving: &Proving<O>,
        key: &<O::Statement as Relation>::Key,
    ) -> Result<(Reading, Published), TraceError> {
        let Proven::Responses(announced, responses) = &proving.said else {
            return Err(out_of_place());
        };
        let responses: Vec<_> = responses.values().cloned().collect();
        let statement = proving.opened.statement().clone();
        let prints = announced.challenge().prints().to_vec();
        let proof = Proof::open(statement, prints, &self.key, &responses)?;
        Ok((proof.read(key), Published::of(announced, &proof)))
    }

    /// The key that responses are sealed to.
    pub fn key(&self) -> PublicKey<G1> {
        self.key.public_key()
    }
}
