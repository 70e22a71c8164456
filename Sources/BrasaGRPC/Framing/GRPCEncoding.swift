/// The message encodings that we know, by their names in `grpc-encoding` and `grpc-accept-encoding`.
package enum GRPCEncoding: Sendable, Hashable {
    case identity, gzip

    static let accepted = "identity,gzip"

    init?(_ name: some Collection<UInt8>) {
        if name.elementsEqual("identity".utf8) {
            self = .identity
        } else if name.elementsEqual("gzip".utf8) {
            self = .gzip
        } else {
            return nil
        }
    }

    var name: String { self == .gzip ? "gzip" : "identity" }

    /// Whether a `grpc-accept-encoding` list has gzip in it.
    static func acceptsGzip(_ list: some Collection<UInt8>) -> Bool {
        list.split(separator: UInt8(ascii: ",")).contains { entry in
            let name = entry.drop { $0 == UInt8(ascii: " ") }.prefix {
                $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ";")
            }
            return name.elementsEqual("gzip".utf8)
        }
    }
}
