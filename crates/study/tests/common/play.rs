//! An election turn by turn in one thread, in which anybody may say something else than it should.

use std::time::Duration;

use board::Identity;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    election::{Election, Message, Operator, Party, Phase, Role, Session, Until},
    preferences::Ranking,
    replay,
};

use super::{OPERATOR, Said, World, party};

/// An edit for [`World::play`]: everybody says what it should.
pub fn nobody_cheats(_: &Election, said: Said) -> Vec<Said> {
    vec![said]
}

impl World {
    /// Says something on the board; whether it is taken is the election's to judge.
    pub fn say(&self, session: &mut Session, said: &Said) {
        self.say_as(session, &self.identity(said.by), said);
    }

    /// The same under any key.
    pub fn say_as(&self, session: &mut Session, identity: &Identity, said: &Said) {
        let mut board = board::Board::open(self.boxed()).unwrap();
        board.append(identity, &said.kind, &said.payload).unwrap();
        session.sync().unwrap();
    }

    /// Plays an election until nobody has anything to say. `edit` sees what a party is about to
    /// say, and gives what is said instead; nothing makes the party silent, and the operator goes
    /// on without it.
    pub fn play(
        &self,
        rankings: &[Ranking],
        edit: impl FnMut(&Election, Said) -> Vec<Said>,
    ) -> Session {
        let mut session = self.set_up();
        self.go_on(&mut session, rankings, edit);
        session
    }

    /// Plays from where the board is.
    pub fn go_on(
        &self,
        session: &mut Session,
        rankings: &[Ranking],
        mut edit: impl FnMut(&Election, Said) -> Vec<Said>,
    ) {
        loop {
            if session.election().phase() == Phase::Casting && session.election().accepted() == 0 {
                self.cast(rankings);
                session.sync().unwrap();
            }
            let turn = self.everybody().into_iter().find_map(|who| {
                let said = self.next_word(session, who)?;
                Some(edit(session.election(), said)).filter(|said| !said.is_empty())
            });
            let Some(said) = turn else { return };
            said.iter().for_each(|said| self.say(session, said));
        }
    }

    /// What a party that was started this moment would say.
    pub fn next_word(&self, session: &Session, who: Party) -> Option<Said> {
        let election = session.election();
        let until = Until::Finished;
        let message = match who.role {
            Role::Trustee => word(self.trustee(who.number, session), election),
            Role::Mixer => word(self.mixer(who.number, session), election),
            Role::Operator => {
                let operator = self.identity(OPERATOR);
                let operator = Operator::new(operator, election, until, Duration::ZERO);
                word(operator.unwrap(), election)
            }
            Role::Station => None,
        };
        message.map(|message| Said::new(who, &message))
    }

    /// All parties but the station, the operator last.
    pub fn everybody(&self) -> Vec<Party> {
        let of = |role, count| (1..=count).map(move |number| party(role, number));
        let trustees = of(Role::Trustee, self.description.trustees);
        let mixers = of(Role::Mixer, self.description.mixers);
        trustees.chain(mixers).chain([OPERATOR]).collect()
    }
}

/// What a party says if it is waited for.
fn word(mut party: impl replay::Party<Election>, election: &Election) -> Option<Message> {
    let task = party.awaited(election)?;
    party.perform(task, election, &mut ChaCha20Rng::seed_from_u64(0)).ok()
}
