//! The rule of `trace::policy` against all permutations: that it protects what it says (`brute`), that no
//! part of it can be left out, and how fast it judges (`speed`); `rules` has the rule once more, written
//! down plainly, with a part left out or not.

mod brute;
mod rules;
mod speed;
