//! One constraint.

use algebra::Scalar;

/// A linear combination of wires, in the order of the file.
pub type LinearCombination<S> = Vec<(u32, S)>;

/// `⟨a, z⟩ · ⟨b, z⟩ = ⟨c, z⟩`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint<S> {
    /// The left factor.
    pub a: LinearCombination<S>,
    /// The right factor.
    pub b: LinearCombination<S>,
    /// The product.
    pub c: LinearCombination<S>,
}

impl<S: Scalar> Constraint<S> {
    /// Whether an assignment of the wires satisfies the constraint; a wire without a value makes it
    /// false.
    pub fn is_satisfied_by(&self, wires: &[S]) -> bool {
        let value = |combination: &[(u32, S)]| {
            let term = |&(wire, factor)| wires.get(wire as usize).map(|&value| value * factor);
            combination.iter().map(term).sum::<Option<S>>()
        };
        match (value(&self.a), value(&self.b), value(&self.c)) {
            (Some(a), Some(b), Some(c)) => a * b == c,
            _ => false,
        }
    }
}
