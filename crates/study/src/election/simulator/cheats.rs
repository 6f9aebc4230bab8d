//! What a dishonest mixer and trustee say about the ballots that they mix and open, and a dishonest operator about the
//! result.

use shuffle::{Column, Mix, MixContext};
use wire::Encode as _;

use super::world::{OPERATOR, World, everyone};
use crate::election::{
    Message, MixHeader, MixPart, Outcome, Party, Role, Scheme as _, TereliusWikstrom,
};

type Columns = Vec<Column<algebra::Ristretto255>>;

impl World {
    fn cheat(&self, role: Role) -> Option<Party> {
        let own = self.plan.corrupt.and_then(|index| everyone().nth(index));
        own.filter(|party| party.role == role)
    }

    /// The ballots as they were cast, whatever mixes there are.
    fn cast_columns(&self, board: usize) -> Columns {
        let election = self.election(board);
        let lists = election.cast_lists();
        lists.first().map_or(Vec::new(), |list| list.columns().to_vec())
    }

    pub(super) fn mix_falsely(&mut self, board: usize) {
        let Some(own) = self.cheat(Role::Mixer) else { return };
        let (mut rng, how) = (self.child(), self.below(4));
        let election = self.election(board);
        let (Some(booth), Some(parameters)) = (election.booth(), election.parameters()) else {
            return;
        };
        let Some(list) = election.lists().first() else { return };
        let context: MixContext<'_> = election.mix_context(list, own.number);
        let (current, cast) = (list.columns().to_vec(), self.cast_columns(board));
        let mix = |columns: &Columns, rng: &mut _| {
            TereliusWikstrom::mix(parameters, &booth.key, columns, &context, rng)
        };
        let key = booth.key;
        let (mix, is_lie) = match how {
            0 => (mix(&cast, &mut rng), cast != current),
            1 => {
                let forged = mix(&current, &mut rng).map(|mix| replace(mix, &key, &mut rng));
                (forged, !current.iter().all(Column::is_empty))
            }
            _ => (mix(&current, &mut rng), false),
        };
        let Ok(mix) = mix else { return };
        let turn = self.boards[board].watch.turn;
        let named = if how == 3 { turn + 1 } else { turn };
        let bytes = mix.to_bytes();
        let header = MixHeader::of(named, &bytes);
        if is_lie {
            self.truth.lies.insert(header.digest);
        }
        self.say(board, own, &Message::MixHeader(header));
        self.say(board, own, &Message::MixPart(MixPart { turn: named, index: 0, bytes }));
    }

    /// A trustee opens something else, says it in another's name, or again.
    pub(super) fn decrypt_falsely(&mut self, board: usize) {
        let Some(own) = self.cheat(Role::Trustee) else { return };
        let author = super::world::identity(own).id();
        let entries = self.boards[board].session.entries();
        let said = entries.iter().filter(|one| one.kind() == "decryption");
        let others = said.filter(|one| one.author() != author);
        let Some(other) = others.map(|one| one.payload().to_vec()).next() else { return };
        let mut payload = other;
        if self.one_in(2) {
            payload[..2].copy_from_slice(&own.number.to_le_bytes());
        }
        self.post(board, own, ("decryption", &[]), &payload);
    }

    /// The operator publishes another result, or leaves out what went wrong.
    pub(super) fn publish_falsely(&mut self, board: usize) {
        let Ok(Outcome { mut tally, mut faults }) = self.election(board).outcome() else { return };
        let say = match self.below(2) {
            0 => {
                let at = tally.iter().rposition(u8::is_ascii_digit).unwrap_or(0);
                tally[at] = if tally[at] == b'9' { b'8' } else { tally[at] + 1 };
                Outcome { tally, faults }
            }
            _ => {
                if faults.pop().is_none() {
                    faults.push(0);
                }
                Outcome { tally, faults }
            }
        };
        let message: Message = Message::Outcome(say);
        self.say(board, OPERATOR, &message);
    }
}

/// The same mix, whose first ballot is another one.
fn replace(
    mut mix: Mix<algebra::Ristretto255>,
    key: &shuffle::PublicKey<algebra::Ristretto255>,
    rng: &mut rand_chacha::ChaCha20Rng,
) -> Mix<algebra::Ristretto255> {
    use algebra::Embed as _;
    let mut cell = vec![0; 16];
    cell[0] = 3;
    for column in &mut mix.outputs {
        let mut ciphertexts = column.ciphertexts();
        if let (Some(first), Ok(point)) =
            (ciphertexts.first_mut(), algebra::Ristretto255::embed(&cell))
        {
            let randomness = <algebra::Ristretto255 as algebra::Group>::Scalar::random(rng);
            *first = key.encrypt(&point, &randomness);
        }
        *column = Column::new(&ciphertexts);
    }
    mix
}
