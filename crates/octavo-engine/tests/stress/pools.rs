//! The pools themselves: every task runs once, whoever asks, and panics stay where they are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use octavo_engine::later::Later;
use octavo_engine::lazy::Lazy;
use octavo_engine::pool::{self, Pool};
use octavo_engine::Error;

use super::samples::scaled;

fn pools() -> [&'static Pool; 3] {
    [pool::cpu(), pool::io(), pool::net()]
}

/// Miri would start 80 threads otherwise, and think about every switch between them.
fn few_pools() -> &'static [&'static Pool] {
    static FEW: Lazy<Vec<&'static Pool>> = Lazy::new();
    match FEW.get_or_try(|| Ok::<_, ()>(pools()[..scaled(3, 1)].to_vec())) {
        Ok(pools) => pools,
        Err(()) => &[],
    }
}

#[test]
fn work_inside_of_work_ends_on_all_pools_at_once() {
    let ran = AtomicUsize::new(0);
    let (threads, outer, inner) = (scaled(6, 2), scaled(12, 3), scaled(8, 2));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let ran = &ran;
            scope.spawn(move || {
                let pools = few_pools();
                let pool = pools[thread % pools.len()];
                let next = pools[(thread + 1) % pools.len()];
                pool.for_each(outer, &|_| {
                    let innermost = |_| {
                        ran.fetch_add(1, Ordering::Relaxed);
                    };
                    next.for_each(inner, &|_| pool.for_each(2, &innermost).unwrap()).unwrap();
                })
                .unwrap();
            });
        }
    });
    assert_eq!(ran.into_inner(), threads * outer * inner * 2);
}

#[test]
fn what_a_task_borrows_is_alive_for_as_long_as_it_runs() {
    // The memory that tasks write to goes right after each round: under a sanitizer a task that comes late is found.
    for round in 0..scaled(300, 8) {
        let counts: Vec<AtomicUsize> = (0..7).map(|_| AtomicUsize::new(0)).collect();
        let done = pool::cpu().for_each(counts.len(), &|at| {
            counts[at].fetch_add(1, Ordering::Relaxed);
            if round % 5 == 0 && at == 3 {
                std::panic::resume_unwind(Box::new("meant to happen"));
            }
        });
        assert_eq!(matches!(done, Err(Error::Panicked)), round % 5 == 0);
        assert!(counts.into_iter().all(|count| count.into_inner() == 1));
    }
}

#[test]
fn a_value_from_another_thread_is_taken_once_or_its_panic_is_an_error() {
    std::thread::scope(|scope| {
        for thread in 0..scaled(4, 2) {
            scope.spawn(move || {
                for round in 0..scaled(200, 6) {
                    let expected = vec![thread; 100];
                    let made = expected.clone();
                    let later = Later::start(pool::cpu(), move || {
                        if round % 7 == 3 {
                            std::panic::resume_unwind(Box::new("meant to happen"));
                        }
                        made
                    });
                    match round % 4 {
                        0 => drop(later), // nobody waits for it
                        1 => {
                            later.settle();
                            assert!(later.is_done());
                        }
                        _ if round % 7 == 3 => assert!(matches!(later.take(), Err(Error::Panicked))),
                        _ => {
                            assert_eq!(later.take().unwrap(), expected);
                            assert!(later.take().is_err());
                        }
                    }
                }
            });
        }
    });
}

#[test]
fn a_slot_that_all_fill_holds_one_value_and_drops_each_once() {
    struct Counted(Arc<AtomicUsize>, Vec<usize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (made, dropped) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    for _ in 0..scaled(200, 6) {
        let slot: Lazy<Counted> = Lazy::new();
        std::thread::scope(|scope| {
            for thread in 0..scaled(4, 3) {
                let (slot, made, dropped) = (&slot, &made, &dropped);
                scope.spawn(move || {
                    let value = slot.get_or_try(|| {
                        made.fetch_add(1, Ordering::Relaxed);
                        Ok::<_, ()>(Counted(Arc::clone(dropped), vec![thread; 5]))
                    });
                    let value = value.unwrap_or_else(|()| unreachable!("it cannot fail"));
                    assert!(value.1.iter().all(|&by| by == value.1[0]));
                });
            }
        });
        drop(slot);
    }
    assert_eq!(made.into_inner(), dropped.load(Ordering::Relaxed));
}
