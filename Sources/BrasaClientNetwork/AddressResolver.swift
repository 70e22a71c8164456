package import NIOCore
internal import NIOPosix

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Finds all addresses of a host: the seam behind which tests put addresses of their own.
package protocol AddressResolver: Sendable {
    /// Never an empty list.
    func resolve(_ server: ServerAddress, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]>
}

package struct ResolutionError: Error, CustomStringConvertible {
    package let description: String
}

/// Asks the system, on a thread that may block.
package struct SystemResolver: AddressResolver {
    package init() {}

    package func resolve(_ server: ServerAddress, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        // Addresses are made of numbers that are ports, or not at all.
        guard UInt16(exactly: server.port) != nil else {
            let error = ResolutionError(description: "\(server.port) is no port")
            return eventLoop.makeFailedFuture(error)
        }
        if let address = try? SocketAddress(ipAddress: server.host, port: server.port) {
            return eventLoop.makeSucceededFuture([address])
        }
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { try Self.lookUp(server) }
    }

    private static func lookUp(_ server: ServerAddress) throws -> [SocketAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(server.host, String(server.port), &hints, &list)
        guard code == 0 else {
            let reason = gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"
            throw ResolutionError(description: "The host \"\(server.host)\" is not known: \(reason)")
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = Self.address(entry), !addresses.contains(address) else { continue }
            addresses.append(address)
        }
        guard !addresses.isEmpty else {
            throw ResolutionError(description: "The host \"\(server.host)\" has no address")
        }
        return addresses
    }

    private static func address(_ entry: addrinfo) -> SocketAddress? {
        guard let address = entry.ai_addr else { return nil }
        let pointer = UnsafeRawPointer(address)
        switch entry.ai_family {
        case AF_INET: return SocketAddress(pointer.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: return SocketAddress(pointer.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }
}
