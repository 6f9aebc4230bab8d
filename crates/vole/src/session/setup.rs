//! What both parties must agree on, and how sure a verifier is then.

use crate::{convert::Converter, field::Fp, params::ParameterSet};

/// What both parties must have in common before they meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// How correlations are made.
    pub correlations: ParameterSet,
    /// How numbers are taken apart into bits.
    pub converter: Converter,
    /// How unlikely it is that a circuit's false statement passes.
    pub soundness: Soundness,
}

/// How unlikely it is that a false statement passes, as its negative binary logarithm.
///
/// One session leaves 2^-56.7 at most: a MAC in F_p is forged with 2^-60.9, and the rest is spent on
/// proofs and conversions. A false statement has no witness: to be accepted in two sessions under keys
/// and challenges of their own, it has to pass both, 2^-113 at most.
/// [`Statement::prove`](crate::circuit::Statement::prove) runs so many; a [`Session`](super::Session) is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Soundness {
    /// 57, within a third of a bit: one session.
    #[default]
    Bits57,
    /// 80: two sessions.
    Bits80,
    /// 100: two sessions.
    Bits100,
}

impl Soundness {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bits57, Self::Bits80, Self::Bits100];

    /// The number, as in `57`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits57 => "57",
            Self::Bits80 => "80",
            Self::Bits100 => "100",
        }
    }

    /// Sessions that it takes.
    pub fn repetitions(self) -> u32 {
        match self {
            Self::Bits57 => 1,
            Self::Bits80 | Self::Bits100 => 2,
        }
    }
}

impl From<ParameterSet> for Setup {
    fn from(correlations: ParameterSet) -> Self {
        Self { correlations, ..Self::default() }
    }
}

impl From<Converter> for Setup {
    fn from(converter: Converter) -> Self {
        Self { converter, ..Self::default() }
    }
}

impl Setup {
    /// The chance, as its negative binary logarithm, that a session with one check accepts a false
    /// claim, whatever the number of claims: the sum of what each part of the session allows.
    /// `degrees` are the highest degrees of other claims than decompositions, over F_2 and F_p.
    pub fn soundness(&self, [bits, values]: [usize; 2]) -> f64 {
        let [of_bits, of_values] = self.converter.degrees();
        let seeds = 2f64.powi(-64);
        let decompositions = match self.converter {
            Converter::EdaBits => 2f64.powi(-60) + seeds,
            Converter::Local { .. } => seeds,
        };
        let claims = claims([bits.max(of_bits), values.max(of_values)]);
        -(decompositions + claims).log2()
    }

    /// As [`Setup::soundness`], of a session that takes no numbers apart. A degree of 0 says that
    /// nothing is claimed over a field.
    pub fn soundness_without_conversions(&self, degrees: [usize; 2]) -> f64 {
        -claims(degrees).log2()
    }

    /// What a session rests on, in words. `converts` says whether numbers are taken apart.
    pub fn assumptions(&self, converts: bool) -> Vec<String> {
        let mut all = vec![
            "gap-CDH on ristretto255, BLAKE3 as a random oracle".to_owned(),
            "AES-128 as a pseudo-random permutation and a circular correlation-robust hash".into(),
        ];
        if self.correlations.lpn().is_some() {
            let id = self.correlations.id();
            all.push(format!("dual LPN with regular noise, {id} (large statements only)"));
        }
        if let (Converter::Local { generator, .. }, true) = (self.converter, converts) {
            let id = generator.id();
            all.push(format!(
                "{id} as a pseudo-random generator, of which no cryptanalysis is published"
            ));
        }
        all
    }

    /// What both parties must agree on, beside what the run is about.
    pub(super) fn context(&self, context: &[u8]) -> Vec<u8> {
        let mut choice = self.converter.description();
        choice.push_str(" soundness=");
        choice.push_str(self.soundness.name());
        [&(choice.len() as u64).to_le_bytes(), choice.as_bytes(), context].concat()
    }
}

/// The chance that a false claim passes a check of claims of these degrees, over F_2 and F_p, or that
/// wrong corrections or trees pass theirs. The lowest bit of Δ over F_2 is public.
fn claims([bits, values]: [usize; 2]) -> f64 {
    let two = |exponent: i32| 2f64.powi(exponent);
    let of =
        |degree: usize, field: f64| if degree == 0 { 0.0 } else { (degree + 1) as f64 / field };
    two(-90) + two(-80) + of(bits, two(63)) + of(values, Fp::MODULUS as f64)
}
