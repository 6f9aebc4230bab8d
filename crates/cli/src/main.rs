//! The program `subrosa`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    cli::main()
}
