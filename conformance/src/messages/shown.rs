//! Error messages of the CUDA runtime API: graphs, hooks, limits.

use cuprum::cuda::graph::{capture, repeat_while, when};
use cuprum::cuda::texture::{
    ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions, FilterMode, MipmappedArray, SurfaceObject,
    TextureDescriptor, TextureObject, TextureResource,
};
use cuprum::cuda::{Device, ManagedMemory, Stream, ipc, pop_memory_hook};
use cuprum::{DType, Result, array, full, s, zeros};

use super::messages;

/// Returns a channel format of one float.
fn floats() -> Result<ChannelFormat> {
    ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)
}

/// Returns a channel format of one byte.
fn bytes() -> Result<ChannelFormat> {
    ChannelFormat::new([8, 0, 0, 0], ChannelKind::Unsigned)
}

fn picture() -> Result<CudaArray> {
    CudaArray::new(Device::current()?, floats()?, [8, 2, 0], CudaArrayOptions::default())
}

messages! {
    "Textures and surfaces" {
        ChannelFormat::new([32, 32, 32, 0], ChannelKind::Float)
            => "ChannelFormat::new: the channels have [32, 32, 32, 0] bits of Float: a texture has 1, 2 or 4 channels of one size, integers of 8, 16 or 32 bits or floats of 16 or 32",
            "Pass a fourth one, which is not read.";
        CudaArrayOptions::of_flags(64)
            => "CudaArrayOptions::of_flags: the flags are 64: layers (1), surfaces (2), cubes (4) and gathering (8) are there",
            "There are no sparse arrays.";
        CudaArray::new(Device::current()?, floats()?, [8, 0, 2], CudaArrayOptions::default())
            => "CudaArray::new: the width, the height and the depth are (8, 0, 2): an array has a width, with a depth a height, with layers a depth, and two axes where it is gathered from",
            "A depth without a height is one of layers.";
        picture()?.copy_from(&zeros([8, 2], DType::F32)?)
            => "CudaArray::copy_from: the array has the shape (8, 2), and the CUDA array takes (2, 8) or (2, 8, 1)",
            "The width is the last axis.";
        picture()?.copy_from(&zeros([2, 8], DType::F64)?)
            => "CudaArray::copy_from: the array is of float64, and the CUDA array has Float numbers of 32 bits",
            "`astype` makes them so.";
        picture()?.copy_to(&zeros([8, 2], DType::F32)?.t())
            => "CudaArray::copy_to: the array is not in C order: copy to a dense one",
            "Copy on from there.";
        SurfaceObject::new(picture()?)
            => "SurfaceObject::new: the CUDA array is not for surfaces: make it with CudaArrayOptions::surface",
            "Textures are of the same array, too.";
        CudaArray::new(Device::current()?, floats()?, [4, 2, 6], CudaArrayOptions { cubemap: true, ..Default::default() })
            => "CudaArray::new: the width, the height and the depth are (4, 2, 6): the faces of a cube are as high as wide, and six of each layer",
            "With `layered` the depth is six times the layers.";
        MipmappedArray::new(Device::current()?, floats()?, [8, 4, 0], 5, CudaArrayOptions::default())
            => "MipmappedArray::new: 5 levels of an array of (8, 4, 0): it has one to 4, down to one element",
            "Each level is half as wide and as high as the one before.";
        TextureObject::new(TextureResource::Linear(zeros(1024, DType::U8)?, bytes()?), &TextureDescriptor { filter: FilterMode::Linear, ..Default::default() })
            => "TextureObject::new: linear filtering of Unsigned integers of 8 bits, which the texture gives as integers: filter floats, or read integers of 8 and 16 bits as normalised floats",
            "`ReadMode::NormalizedFloat` gives floats.";
        TextureObject::new(TextureResource::Array(picture()?), &TextureDescriptor { srgb: true, ..Default::default() })
            => "TextureObject::new: sRGB of Float numbers of 32 bits: it is for unsigned bytes that are read as normalised floats",
            "Floats are light already.";
        TextureObject::new(TextureResource::Linear(zeros(1024, DType::U8)?.index(s![16..])?, bytes()?), &TextureDescriptor::default())
            => "TextureObject::new: the array begins 16 bytes after a multiple of 512, and the memory of a texture begins at one: copy it",
            "A fresh array begins where it should.";
        TextureObject::new(TextureResource::Pitch2D { array: zeros(1024, DType::U8)?, format: bytes()?, width: 60, height: 4, pitch: 60 }, &TextureDescriptor::default())
            => "TextureObject::new: 4 rows of 60 elements of 1 bytes at a pitch of 60 bytes: a pitch is a multiple of 32 that holds a row, and neither size is 0",
            "Make the rows of the array longer.";
        TextureObject::new(TextureResource::Pitch2D { array: zeros(1024, DType::U8)?, format: bytes()?, width: 64, height: 20, pitch: 64 }, &TextureDescriptor::default())
            => "TextureObject::new: 20 rows at a pitch of 64 bytes leave the 1024 bytes of the array's memory",
            "Fewer rows, or a larger array.";
    }
    "Graphs and memory" {
        when(&full((), true, DType::Bool)?, || Ok(()))
            => "graph::when: nothing is captured on this thread: conditions are parts of graphs: call it in graph::capture",
            "Outside of a graph the program looks itself.";
        capture(|| when(&array([1i32])?, || Ok(())))
            => "graph::when: the condition is of int32: it is a boolean: compare first",
            "`not_equal(x, 0)` is one.";
        capture(|| repeat_while(&full(2, true, DType::Bool)?, || Ok(())))
            => "graph::repeat_while: the condition has the shape (2,): it is one boolean: all or any",
            "`any` makes one of many.";
        ipc::share(&zeros(0, DType::F32)?)
            => "ipc::share: the array has no elements: there is no memory to share",
            "Share one that has some.";
        capture(|| array([1])?.to_vec::<i32>())
            => "to_vec: the call waits for the device, which no graph can do: call it before the capture or after it, and give shapes that depend on values as numbers",
            "Read elements after the launch.";
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
            => "Stream::launch_host_func: a function of the host cannot be captured: call it after the launch of the graph",
            "Queue it after the launch.";
        Device::current()?.memory_pool().set_limit_share(1.5)
            => "set_limit_share: the share of the device's memory is 1.5: it is between 0 and 1",
            "`set_limit` takes bytes.";
        pop_memory_hook("lines")
            => "pop_memory_hook: there is no hook lines on this thread",
            "Hooks are those of one thread.";
        ManagedMemory::new(Device::current()?, 0)
            => "ManagedMemory::new: 0 bytes are requested: there is no such memory",
            "An empty array needs no memory.";
    }
}
