//! What is refused of what CUDA shows: graphs, hooks, limits.

use cuprum::array;
use cuprum::cuda::graph::capture;
use cuprum::cuda::{Device, ManagedMemory, Stream, pop_memory_hook};

use super::messages;

messages! {
    "Graphs and memory" {
        capture(|| array([1])?.to_vec::<i32>())
            => "to_vec: the call waits for the device, which no graph can do: call it before the capture or behind it, and give shapes that depend on values as numbers",
            "Read elements behind the launch.";
        capture(|| capture(|| Ok(())))
            => "graph::capture: a capture goes on already on this thread: end it first",
            "A graph that is launched in a capture becomes a part of the other.";
        Device::current()?.default_stream().begin_capture()
            => "Stream::begin_capture: the default stream cannot be captured: make another one current, or use graph::capture",
            "`graph::capture` has a stream of its own.";
        Stream::new(Device::current()?)?.end_capture()
            => "Stream::end_capture: this thread does not capture the stream: begin_capture begins",
            "The thread that begins a capture ends it.";
        capture(|| Device::current()?.current_stream().launch_host_func(|| ()))
            => "Stream::launch_host_func: a function of the host cannot be captured: call it behind the launch of the graph",
            "Queue it behind the launch.";
        Device::current()?.memory_pool().set_limit_share(1.5)
            => "set_limit_share: the share of the device's memory is 1.5: it lies between 0 and 1",
            "`set_limit` takes bytes.";
        pop_memory_hook("lines")
            => "pop_memory_hook: there is no hook lines on this thread",
            "Hooks are those of one thread.";
        ManagedMemory::new(Device::current()?, 0)
            => "ManagedMemory::new: 0 bytes are asked for: there is no such memory",
            "An empty array needs no memory.";
    }
}
