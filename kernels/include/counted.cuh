// A value and the number of elements in it. Every byte is written, so that it can be copied as whole words.
template <class T, u32 size = sizeof(T)> struct counted {
  T value;
  u64 count;
  counted() = default;
  DEVICE counted(T v, u64 n) : value(v), count(n) {}
};
template <class T> struct counted<T, 4> {
  T value;
  u32 unused;
  u64 count;
  counted() = default;
  DEVICE counted(T v, u64 n) : value(v), unused(0), count(n) {}
};
template <class T> struct counted<T, 2> {
  T value;
  u16 unused[3];
  u64 count;
  counted() = default;
  DEVICE counted(T v, u64 n) : value(v), unused{0, 0, 0}, count(n) {}
};
template <class T> struct counted<T, 1> {
  T value;
  u8 unused[7];
  u64 count;
  counted() = default;
  DEVICE counted(T v, u64 n) : value(v), unused{0, 0, 0, 0, 0, 0, 0}, count(n) {}
};
