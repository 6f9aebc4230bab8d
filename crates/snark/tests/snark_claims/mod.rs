//! Proofs of all systems as claims in bundles, and everything that is wrong with others.

mod batches;
mod completeness;
mod sets;
mod soundness;
mod support;
mod vectors;
