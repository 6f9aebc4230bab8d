//! VOLE zero knowledge between two processes.

mod circuit;
mod stock;
mod tampered;
