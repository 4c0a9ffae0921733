//! Handing a processor from one thread to the next.
//!
//! A thread that wakes another and then sleeps leaves its processor free, but the kernel has by then
//! put the other one behind a third on a processor that is busy: with many short turns a processor
//! in three stood idle. Here the one that leaves asks for the one that follows on its own processor,
//! and that one is free to move again as soon as it runs. It is a wish: where it cannot be
//! expressed, or is refused, the kernel decides as before.

#[cfg(target_os = "linux")]
mod linux {
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// A thread, and the processors on which it may run.
    #[derive(Debug)]
    pub(crate) struct Thread {
        id: Pid,
        allowed: CpuSet,
    }

    impl Thread {
        /// This thread.
        pub(crate) fn this() -> Option<Self> {
            let allowed = sched_getaffinity(None).ok()?;
            Some(Self {
                id: gettid(),
                allowed,
            })
        }

        /// It is to run next on the processor of the caller, who is about to sleep.
        pub(crate) fn follow_here(&self) {
            let processor = sched_getcpu();
            if processor < CpuSet::MAX_CPU && self.allowed.is_set(processor) {
                let mut here = CpuSet::new();
                here.set(processor);
                // Refused: it runs where the kernel likes.
                let _ = sched_setaffinity(Some(self.id), &here);
            }
        }

        /// It may run everywhere again.
        pub(crate) fn move_freely(&self) {
            let _ = sched_setaffinity(Some(self.id), &self.allowed);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// A thread of a system that takes no wishes.
    #[derive(Debug)]
    pub(crate) struct Thread;

    impl Thread {
        pub(crate) fn this() -> Option<Self> {
            None
        }
        pub(crate) fn follow_here(&self) {}
        pub(crate) fn move_freely(&self) {}
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Thread;
#[cfg(target_os = "linux")]
pub(crate) use linux::Thread;
