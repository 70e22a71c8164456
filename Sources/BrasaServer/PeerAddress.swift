import NIOCore

/// Whom connections are counted for: a host by its IPv4 address, or by the network of its IPv6 address (the first 64 bits),
/// of which it may take any.
struct PeerAddress: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

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

extension PeerAddress: CustomStringConvertible {
    var description: String {
        switch self.bytes.count {
        case 0: return "?"
        case 4: return self.bytes.map { String($0) }.joined(separator: ".")
        default:
            let groups = stride(from: 0, to: self.bytes.count, by: 2).map { index in
                String(UInt16(self.bytes[index]) << 8 | UInt16(self.bytes[index + 1]), radix: 16)
            }
            return groups.joined(separator: ":") + "::/64"
        }
    }
}
