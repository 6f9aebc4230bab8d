//! Partial decryptions and the outcome.

use shuffle::{
    Column,
    decrypt::{Decryption, VerifiedPartial},
};

use super::{
    super::{BallotList, Outcome, Rule, Scheme, counting, lists::decryption_context},
    Election, Stage,
};
use crate::{
    count::Tally,
    preferences::{Opened, Ranking},
};

impl<S: Scheme> Election<S> {
    pub(super) fn take_partial(
        &mut self,
        trustee: u16,
        partial: shuffle::decrypt::PartialDecryption<S::Group>,
    ) -> Result<(), String> {
        self.answered.push(trustee);
        let verified = self.verify_partial(trustee, partial).map(|partial| {
            self.partials.push(partial);
        });
        let (possible, needed) =
            (self.partials.len() + self.awaited().len(), self.setup.description.threshold);
        if possible < usize::from(needed) {
            let reason = format!("trustees who can still decrypt: {possible}, needed: {needed}");
            self.stage = Stage::Failed(format!("decryption: {reason}"));
        }
        verified
    }

    fn verify_partial(
        &self,
        trustee: u16,
        partial: shuffle::decrypt::PartialDecryption<S::Group>,
    ) -> Result<VerifiedPartial<S::Group>, String> {
        if !Rule::DecryptionAuthor.allows(partial.trustee() == trustee) {
            return Err("a partial decryption in the name of another trustee".to_owned());
        }
        let verified = self.with_decryption(|decryption| decryption.verify_partial(partial));
        verified.ok_or("there is no key yet")?.map_err(|error| error.to_string())
    }

    pub(super) fn finish(&mut self, sequence: u64, outcome: &Outcome) -> Result<(), String> {
        let faults = self.fault_sequences();
        if !Rule::OutcomeFaults.allows(outcome.faults == faults) {
            let same = outcome.faults.iter().zip(&faults).take_while(|(a, b)| a == b).count();
            return Err(format!(
                "the outcome lists other refused entries than the board has: at place {same}, \
                 {:?} and not {:?}",
                outcome.faults.get(same),
                faults.get(same)
            ));
        }
        let tally = self.count()?;
        if !Rule::OutcomeTally.allows(outcome.tally == encode_tally(&tally)?) {
            return Err("the ballots do not count to this tally".to_owned());
        }
        self.tally = Some(tally);
        self.end = Some(sequence);
        self.stage = Stage::Finished;
        Ok(())
    }

    /// Decrypts and counts, from t partial decryptions or more.
    fn count(&self) -> Result<Tally, String> {
        let (description, points) = (&self.setup.description, self.opened()?);
        if !self.has_classes() {
            return Ok(counting::count(description, &points));
        }
        let (columns, mut rest) = (description.layout().columns(), points.as_slice());
        let mut lists = Vec::new();
        for list in &self.lists {
            let own = rest.split_at_checked(list.rows() * columns);
            let (own, others) = own.ok_or("fewer points are opened than the lists have")?;
            lists.extend(list.class().map(|class| (class, own)));
            rest = others;
        }
        let counted = counting::count_classes(description, &self.cast_by_class(), &lists);
        counted.map_err(|error| error.to_string())
    }

    /// The opened ballots, list after list and column after column, from t partial decryptions or more.
    ///
    /// # Errors
    /// The reason, if there are not enough partial decryptions yet.
    pub(crate) fn opened(&self) -> Result<Vec<S::Group>, String> {
        let points = self.with_decryption(|decryption| decryption.combine(&self.partials));
        points.ok_or("there is no key yet")?.map_err(|error| error.to_string())
    }

    /// The opened ballots' rankings of the first question, in their order; `None` where there is none.
    pub(crate) fn rankings(&self, points: &[S::Group]) -> Vec<Option<Ranking>> {
        let opened = counting::decode(&self.setup.description, points).into_iter();
        let first = |Opened(answers): Opened| answers.into_iter().next()?.ok()?.ranking().cloned();
        opened.map(first).collect()
    }

    /// What the operator has to publish now.
    ///
    /// # Errors
    /// The reason, if there are not enough partial decryptions yet.
    pub fn outcome(&self) -> Result<Outcome, String> {
        Ok(Outcome { tally: encode_tally(&self.count()?)?, faults: self.fault_sequences() })
    }

    fn fault_sequences(&self) -> Vec<u64> {
        let mut sequences: Vec<u64> = self.faults.iter().map(|fault| fault.sequence).collect();
        sequences.dedup();
        sequences
    }

    /// Gives access to the decryption of the mixed ballots, list after list and column after column.
    pub(in crate::election) fn with_decryption<T>(
        &self,
        f: impl FnOnce(&Decryption<'_, S::Group>) -> T,
    ) -> Option<T> {
        let (_, keys) = self.keys.as_ref()?;
        let columns = self.lists.iter().flat_map(BallotList::columns);
        let ciphertexts: Vec<_> = columns.flat_map(Column::ciphertexts).collect();
        let context = decryption_context(&self.context()?, &self.lists);
        Some(f(&Decryption::new(keys, &ciphertexts, &context)))
    }
}

fn encode_tally(tally: &Tally) -> Result<Vec<u8>, String> {
    serde_json::to_vec(tally).map_err(|error| error.to_string())
}
