//! What one voter marked.

/// The most candidates of a question.
pub const MAX_CANDIDATES: usize = 64;
/// The best grade that a ballot can give; the worst is 0.
pub const MAX_GRADE: u8 = 100;

/// Distinct candidates, most preferred first. Without any, the ballot is blank.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ranking(Vec<u8>);

impl Ranking {
    /// These candidates, by index; `None` if one of them is there twice.
    pub fn new(choices: Vec<u8>) -> Option<Self> {
        let mut seen = [false; 256];
        let is_new = |choice: &u8| {
            seen.get_mut(usize::from(*choice)).is_some_and(|seen| !std::mem::replace(seen, true))
        };
        choices.iter().all(is_new).then_some(Self(choices))
    }

    /// The candidates' indices.
    pub fn choices(&self) -> &[u8] {
        &self.0
    }

    /// Whether no candidate is ranked.
    pub fn is_blank(&self) -> bool {
        self.0.is_empty()
    }
}

/// A set of candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choices(u64);

impl Choices {
    /// The candidates whose bits are set.
    pub fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// One bit a candidate, the first one lowest.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Whether a candidate is chosen.
    pub fn contains(self, candidate: u8) -> bool {
        1_u64.checked_shl(candidate.into()).is_some_and(|bit| self.0 & bit != 0)
    }

    /// The number of candidates chosen.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no candidate is chosen.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<u8> for Choices {
    /// Indices of [`MAX_CANDIDATES`] and more are passed over.
    fn from_iter<T: IntoIterator<Item = u8>>(candidates: T) -> Self {
        let bits = candidates.into_iter().filter_map(|choice| 1_u64.checked_shl(choice.into()));
        Self(bits.fold(0, |all, bit| all | bit))
    }
}

/// A grade for each candidate, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grades(Vec<Option<u8>>);

impl Grades {
    /// The grades in the order of the candidates.
    pub fn new(grades: Vec<Option<u8>>) -> Self {
        Self(grades)
    }

    /// The grades in the order of the candidates.
    pub fn grades(&self) -> &[Option<u8>] {
        &self.0
    }

    /// The grade of a candidate.
    pub fn of(&self, candidate: usize) -> Option<u8> {
        self.0.get(candidate).copied().flatten()
    }

    /// Whether nobody is graded.
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

/// What one voter marked about one question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Marks {
    /// Candidates in the order of preference.
    Ranking(Ranking),
    /// Candidates chosen.
    Choices(Choices),
    /// Candidates graded.
    Grades(Grades),
}

impl Marks {
    /// Whether nothing is marked.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Ranking(ranking) => ranking.is_blank(),
            Self::Choices(choices) => choices.is_empty(),
            Self::Grades(grades) => grades.is_blank(),
        }
    }

    /// The ranking, if it is one.
    pub fn ranking(&self) -> Option<&Ranking> {
        match self {
            Self::Ranking(ranking) => Some(ranking),
            Self::Choices(_) | Self::Grades(_) => None,
        }
    }
}
