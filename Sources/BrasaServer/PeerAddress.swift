import NIOCore

/// Whom connections are counted for: a host by its IPv4 address, or by the network of its IPv6 address (the first 64 bits),
/// of which it may take any.
struct PeerAddress: Hashable {
    private let bytes: [UInt8]

    /// - Parameter address: nil, or one that is not of IP: all such peers count as one.
    init(_ address: SocketAddress?) {
        // The offsets are those of `sin_addr` and `sin6_addr` in every system's structures.
        switch address {
        case .v4(let address):
            self.bytes = withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
            // An IPv4 peer of a socket for both (RFC 4291, section 2.5.5.2).
            let isMapped = bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF])
            self.bytes = isMapped ? Array(bytes[12...]) : Array(bytes[..<8])
        case .unixDomainSocket, nil:
            self.bytes = []
        }
    }
}
