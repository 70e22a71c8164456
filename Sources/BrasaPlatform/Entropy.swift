#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Random numbers, as a seam: the simulation passes seeded ones.
package struct Entropy: Sendable {
    package let next: @Sendable () -> UInt64

    package init(next: @escaping @Sendable () -> UInt64) {
        self.next = next
    }

    package func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            withUnsafeBytes(of: self.next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }

    /// The operating system's generator: not to be guessed, whatever has been seen of it.
    package static let system = Entropy {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
