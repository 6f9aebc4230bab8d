//! Secrets stay in this process' memory, and do not stay there for long.

use std::sync::Once;

use zeroize::Zeroize as _;

/// More than any call in a contribution takes.
const STACK_LEN: usize = 1 << 18;

/// Sees to it, once and before secrets are drawn, that the process leaves no core dump, that no other
/// process of the same user may look into it, and that no page is swapped out. What the system does not
/// grant is left: a contribution is no less right for it, and whoever can read swap space or memory can
/// do worse.
pub fn protect() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(unix)]
        unix::forbid_core_dumps();
        #[cfg(target_os = "linux")]
        unix::lock_memory();
    });
}

/// Overwrites what calls before this one have left on the stacks of this thread and of the pool's: copies
/// of scalars that libraries made for single multiplications. What the secrets themselves were in erases
/// itself.
pub fn scrub_stacks() {
    overwrite();
    rayon::broadcast(|_| overwrite());
}

#[inline(never)]
fn overwrite() {
    let mut stack = [0xff_u8; STACK_LEN];
    stack.zeroize();
    std::hint::black_box(&stack);
}

#[cfg(unix)]
mod unix {
    use nix::sys::resource::{Resource, setrlimit};

    /// A limit of zero is for files; dumps that are piped to a program heed the attribute.
    pub fn forbid_core_dumps() {
        let _refused = setrlimit(Resource::RLIMIT_CORE, 0, 0);
        #[cfg(target_os = "linux")]
        let _refused = nix::sys::prctl::set_dumpable(false);
    }

    /// Pages that come later too, but only where there is no limit: under one, memory that cannot be
    /// locked cannot be had.
    #[cfg(target_os = "linux")]
    pub fn lock_memory() {
        use nix::sys::{
            mman::{MlockAllFlags, mlockall},
            resource::{RLIM_INFINITY, getrlimit},
        };
        let Ok((_, limit)) = getrlimit(Resource::RLIMIT_MEMLOCK) else { return };
        let _refused = setrlimit(Resource::RLIMIT_MEMLOCK, limit, limit);
        // Pages that were never touched hold no secret: they are locked when they come.
        let touched = MlockAllFlags::from_bits_retain(nix::libc::MCL_ONFAULT);
        let future = match limit == RLIM_INFINITY {
            true => MlockAllFlags::MCL_FUTURE,
            false => MlockAllFlags::empty(),
        };
        let _refused = mlockall(MlockAllFlags::MCL_CURRENT | future | touched);
    }
}
