//! Ceremonies as claims in bundles, and everything that is wrong with others.

mod attacks;
mod bundles;
mod support;
mod vectors;
