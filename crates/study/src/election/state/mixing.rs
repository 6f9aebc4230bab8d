//! Mixes, in turn.

use shuffle::ShuffleError;
use wire::Decode as _;

use super::{
    super::{BallotList, MixHeader, MixPart, Rule, Rules, Scheme, messages::Mixes, turns::Turns},
    Election, Stage, VerifiedList, VerifiedMix,
    preparing::OVERHEAD,
};

impl<S: Scheme> Election<S> {
    /// Whether the turn waits for this kind of entry by this mixer.
    pub(super) fn may_mix(&self, turns: &Turns, mixer: u16, kind: &str) -> bool {
        let is_in_turn = Rule::MixTurn.allows(turns.mixer() == Some(mixer));
        match (self.rules, turns.due()) {
            (Rules::One, _) if self.has_classes() => is_in_turn && kind == "mix/classes",
            (Rules::One, _) => is_in_turn && kind == "mix",
            (Rules::Two(_), _) if kind == "election/back" => turns.is_absent(mixer),
            (Rules::Two(_), None) => is_in_turn && kind == "mix/header",
            (Rules::Two(_), Some(_)) => is_in_turn && kind == "mix/part",
        }
    }

    /// Ends the phase when nobody is to mix any more: there are enough mixes, or those who were absent are asked
    /// again.
    pub(super) fn settle_turns(&mut self) {
        let Stage::Mixing(turns) = &mut self.stage else { return };
        let minimum = usize::from(self.setup.description.minimum_mixers);
        let valid = self.mixes.len();
        let is_over = turns.mixer().is_none();
        if is_over && valid < minimum && Rule::AskedAgain.is_kept() {
            turns.ask_again();
        }
        if turns.mixer().is_some() {
            return;
        }
        self.stage = match Rule::MinimumMixes.allows(valid >= minimum) {
            true => Stage::Decryption,
            false => Stage::Failed(format!("mixing: valid mixes: {valid}, needed: {minimum}")),
        };
    }

    /// A mixer that was absent in its turn gets another one.
    pub(super) fn take_back(&mut self, mixer: u16) -> Result<(), String> {
        if let Stage::Mixing(turns) = &mut self.stage {
            turns.back(mixer);
        }
        Ok(())
    }

    pub(super) fn announce_mix(&mut self, header: MixHeader) -> Result<(), String> {
        let row = S::mix_row_len(self.setup.description.layout().columns());
        let length = |list: &BallotList<S::Group>| list.rows() * row + OVERHEAD;
        let limit = self.lists.iter().map(length).sum::<usize>() + OVERHEAD;
        match &mut self.stage {
            Stage::Mixing(turns) => turns.announce(header, limit as u64),
            _ => Ok(()),
        }
    }

    pub(super) fn take_part(&mut self, mixer: u16, part: &MixPart) -> Result<(), String> {
        let Stage::Mixing(turns) = &mut self.stage else { return Ok(()) };
        let Some(whole) = turns.gather(part)? else { return Ok(()) };
        let mixes = match self.has_classes() {
            true => Mixes::<S>::from_bytes(&whole).map(|Mixes(mixes)| mixes),
            false => S::Mix::from_bytes(&whole).map(|mix| vec![mix]),
        };
        match mixes {
            Ok(mixes) => self.take_mixes(mixer, mixes),
            Err(error) => {
                self.end_turn();
                Err(error.to_string())
            }
        }
    }

    fn end_turn(&mut self) {
        if let Stage::Mixing(turns) = &mut self.stage {
            turns.answered();
        }
        self.settle_turns();
    }

    /// Takes one mix a list: all of them, or none.
    pub(super) fn take_mixes(&mut self, mixer: u16, mixes: Vec<S::Mix>) -> Result<(), String> {
        let verified = match self.verify_mixes(mixer, &mixes) {
            Err(_) if !Rule::MixProof.is_kept() => Ok(Vec::new()),
            verified => verified,
        };
        let verified = verified.map(|lists| {
            self.mixes.push(VerifiedMix { mixer, lists });
            let outputs = mixes.into_iter().map(S::into_outputs);
            let mixed = self.lists.iter().zip(outputs).map(|(list, columns)| list.mixed(columns));
            self.lists = mixed.collect();
        });
        self.end_turn();
        verified
    }

    /// The lists as they were cast, whatever mixes there are.
    #[cfg(test)]
    pub(in crate::election) fn cast_lists(&self) -> Vec<BallotList<S::Group>> {
        self.ballots.iter().flat_map(|ballots| ballots.lists(&[])).collect()
    }

    fn verify_mixes(&self, mixer: u16, mixes: &[S::Mix]) -> Result<Vec<VerifiedList<S>>, String> {
        if mixes.len() != self.lists.len() {
            let (got, lists) = (mixes.len(), self.lists.len());
            return Err(format!("{got} mixes of {lists} lists"));
        }
        let verify = |(list, mix)| {
            self.verify_mix(mixer, list, mix).map_err(|error| {
                let reason = match error {
                    // The fault names the mixer.
                    ShuffleError::Equation { equation, .. } => equation.to_string(),
                    other => other.to_string(),
                };
                let class = list.class().and_then(|class| self.class(class));
                class.map_or(reason.clone(), |class| format!("class `{}`: {reason}", class.name))
            })
        };
        self.lists.iter().zip(mixes).map(verify).collect()
    }

    fn verify_mix(
        &self,
        mixer: u16,
        list: &BallotList<S::Group>,
        mix: &S::Mix,
    ) -> Result<VerifiedList<S>, ShuffleError> {
        let (Some(ballots), Some(parameters)) = (&self.ballots, &self.parameters) else {
            return Err(ShuffleError::Empty);
        };
        let cast = (!Rule::MixInput.is_kept()).then(|| ballots.lists(&[]));
        // Where the rule is kept, as it always is but in tests, it is the list.
        let inputs = cast.iter().flatten().next().unwrap_or(list);
        let (key, context) = (&ballots.booth().key, self.mix_context(list, mixer));
        let verified = S::verify(parameters, key, inputs.columns(), &context, mix)?;
        let state = list.mix_state(context.position, key);
        Ok(VerifiedList { state, verified })
    }
}
