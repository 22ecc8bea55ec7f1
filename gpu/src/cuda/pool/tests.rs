use super::*;
use crate::cuda::{Device, Stream};

fn pool(limit: Option<usize>) -> (Device, &'static MemoryPool) {
    let device = Device::another_for_test();
    device.memory_pool().set_limit(limit);
    (device, device.memory_pool())
}

#[test]
fn small_blocks_come_back_and_segments_are_shared() {
    let (device, pool) = pool(None);
    let (a, b) = (device.alloc(100).unwrap(), device.alloc(100).unwrap());
    let addr = a.addr();
    assert_eq!(b.addr() - addr, UNIT as u64);
    assert_eq!(pool.stats().total_bytes, SEGMENT);
    drop(a);
    assert_eq!(device.alloc(300).unwrap().addr(), addr, "the block of the same class is not used again");
    let other = Stream::new(device).unwrap().with(|| device.alloc(100)).unwrap();
    assert_ne!(other.addr(), addr, "another stream took memory of this one");
}

#[test]
fn neighbours_join_and_whole_segments_go_back() {
    let (device, pool) = pool(None);
    let [a, b, c] = [200 << 10, 300 << 10, 400 << 10].map(|bytes| device.alloc(bytes).unwrap());
    let first = a.addr();
    drop((a, c));
    drop(b);
    assert_eq!(pool.stats().used_bytes, 0);
    assert_eq!(device.alloc(900 << 10).unwrap().addr(), first, "the neighbours have not joined");
    device.free_all_blocks().unwrap();
    assert_eq!(pool.stats().total_bytes, 0);
}

#[test]
fn a_full_pool_says_what_it_holds() {
    let (device, _) = pool(Some(3 << 20));
    let a = device.alloc(2 << 20).unwrap();
    let e = device.alloc(2 << 20).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::OutOfMemory);
    assert!(e.message().contains("2097152 bytes are requested") && e.message().contains("limit is 3145728"), "{e}");
    drop(a);
    device.alloc(3 << 20).expect("free blocks were not returned for a larger one");
}

#[test]
fn a_freed_part_of_a_segment_is_guarded() {
    let (device, _) = pool(None);
    let a = device.alloc(100).unwrap();
    let (addr, driver) = (a.addr(), device.driver().unwrap());
    // SAFETY: on the simulator an access outside live memory is rejected.
    let upload = |bytes: &[u8]| unsafe { driver.upload(addr, bytes, 0) };
    upload(&[1; 100]).unwrap();
    assert_eq!(upload(&[1; 101]).unwrap_err().kind(), ErrorKind::Fault);
    drop(a);
    // SAFETY: as above.
    let read = unsafe { driver.download(&mut [0; 4], addr, 0) };
    assert_eq!(read.unwrap_err().kind(), ErrorKind::Fault);
}
