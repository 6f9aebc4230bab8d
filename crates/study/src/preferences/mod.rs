//! What voters mark, the cells that carry it, and the CSV files it comes from.
//!
//! A [`BallotLayout`] is the layout of a whole ballot, a [`BallotShape`] that of one ranking. A ranking's plaintext is
//! [`BallotShape::columns`] cells of 16 bytes (of 2 bytes under the shuffle tFLSZ, whose points carry no more), with
//! one ElGamal ciphertext for each. It has one byte for each rank: the candidate's index plus one, zeros after the last
//! choice. A voter may encrypt any bytes, so [`BallotShape::decode`] says what is wrong with bytes that are not a
//! ranking.
//!
//! ```
//! use study::preferences::{BallotShape, Spoiled};
//!
//! let shape = BallotShape::new(6, 5).unwrap();
//! let ranking = shape.ranking([4, 0]).unwrap();
//! let cells = shape.encode(&ranking).unwrap();
//! assert_eq!(cells, [[5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]);
//! assert_eq!(shape.decode(&cells).as_ref(), Ok(&ranking));
//! assert_eq!(shape.decode(&[[7; 16]]), Err(Spoiled::UnknownCandidate));
//! assert_eq!(shape.with_cells(2).encode(&ranking), Ok(vec![vec![5, 1], vec![0; 2], vec![0; 2]]));
//! ```

mod error;
mod file;
mod layout;
mod limits;
mod spoiled;
mod words;

pub use count::{Choices, Grades, Marks, Ranking};
pub use error::BallotFileError;
pub use file::{BallotFile, CastBallot};
pub use layout::{Ballot, BallotLayout, Opened};
pub use limits::{MAX_FIELD_BYTES, MAX_ROW_BYTES, MAX_VOTER_BYTES, MAX_VOTERS};
pub use spoiled::Spoiled;

use count::MAX_CANDIDATES;

/// Bytes that one ciphertext carries under the default shuffle.
pub const CELL_BYTES: usize = 16;

/// What one ciphertext carries.
pub type Cell = Vec<u8>;

/// How the ballots of an election are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BallotShape {
    candidates: u8,
    max_ranks: u8,
    cell_bytes: usize,
}

impl BallotShape {
    /// Ballots that rank up to `max_ranks` of `candidates`; `None` if there are no candidates,
    /// more than [`MAX_CANDIDATES`], no ranks, or more ranks than candidates.
    pub fn new(candidates: usize, max_ranks: u8) -> Option<Self> {
        let candidates = u8::try_from(candidates).ok()?;
        let fits = (1..=MAX_CANDIDATES).contains(&usize::from(candidates));
        (fits && (1..=candidates).contains(&max_ranks)).then_some(Self {
            candidates,
            max_ranks,
            cell_bytes: CELL_BYTES,
        })
    }

    /// The same ballots in cells of so many bytes, at least one.
    #[must_use]
    pub fn with_cells(self, bytes: usize) -> Self {
        Self { cell_bytes: bytes.max(1), ..self }
    }

    /// The number of candidates.
    pub fn candidates(&self) -> usize {
        self.candidates.into()
    }

    /// The most candidates that a ballot ranks.
    pub fn max_ranks(&self) -> usize {
        self.max_ranks.into()
    }

    /// Cells per ballot.
    pub fn columns(&self) -> usize {
        self.max_ranks().div_ceil(self.cell_bytes)
    }

    /// The ranking of these candidate indices, most preferred first.
    ///
    /// # Errors
    /// [`Spoiled`] if they are too many, out of range or not distinct.
    pub fn ranking(&self, choices: impl IntoIterator<Item = u8>) -> Result<Ranking, Spoiled> {
        let mut ranking = Vec::new();
        for choice in choices {
            if ranking.len() == self.max_ranks() {
                return Err(Spoiled::TooManyRanks);
            }
            if choice >= self.candidates {
                return Err(Spoiled::UnknownCandidate);
            }
            if ranking.contains(&choice) {
                return Err(Spoiled::Repeated);
            }
            ranking.push(choice);
        }
        Ranking::new(ranking).ok_or(Spoiled::Repeated)
    }

    /// The one form of a ranking in cells.
    ///
    /// # Errors
    /// [`Spoiled`] if the ranking is of another shape.
    pub fn encode(&self, ranking: &Ranking) -> Result<Vec<Cell>, Spoiled> {
        let mut bytes = self.write(ranking)?;
        bytes.resize(self.columns() * self.cell_bytes, 0);
        Ok(bytes.chunks(self.cell_bytes).map(<[u8]>::to_vec).collect())
    }

    /// The ranking in these cells.
    ///
    /// # Errors
    /// [`Spoiled`] for anything that [`encode`](Self::encode) does not make; the first byte that
    /// is wrong gives the reason.
    pub fn decode(&self, cells: &[impl AsRef<[u8]>]) -> Result<Ranking, Spoiled> {
        let is_whole = |cell: &[u8]| cell.len() == self.cell_bytes;
        if cells.len() != self.columns() || !cells.iter().all(|cell| is_whole(cell.as_ref())) {
            return Err(Spoiled::WrongLength);
        }
        let bytes: Vec<u8> = cells.iter().flat_map(AsRef::as_ref).copied().collect();
        self.read(&bytes)
    }

    /// One byte a choice.
    fn write(&self, ranking: &Ranking) -> Result<Vec<u8>, Spoiled> {
        self.ranking(ranking.choices().iter().copied())?;
        Ok(ranking.choices().iter().map(|choice| choice + 1).collect())
    }

    /// The ranking in these bytes, of which those after the last rank are zero.
    fn read(&self, bytes: &[u8]) -> Result<Ranking, Spoiled> {
        // Here and below: without a zero all of the bytes are used.
        let used = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let (choices, rest) = bytes.split_at_checked(used).unwrap_or((bytes, &[]));
        // Bytes before the first zero are at least one.
        let ranking = self.ranking(choices.iter().map(|byte| byte - 1))?;
        match rest.iter().position(|byte| *byte != 0) {
            None => Ok(ranking),
            Some(at) if used + at < self.max_ranks() => Err(Spoiled::Gap),
            Some(_) => Err(Spoiled::TooManyRanks),
        }
    }
}
