import BrasaBytes
package import BrasaHTTP2

/// A metadata key known at compile time, in lower case.
package typealias GRPCMetadataKey = HTTP2HeaderName

/// The metadata of a call, as the header list it travels in. Values under keys that end in `-bin` are bytes in base64.
package struct GRPCMetadata: Sendable {
    package private(set) var headers: HTTP2Headers

    package init(headers: HTTP2Headers = HTTP2Headers()) {
        self.headers = headers
    }

    mutating func removeAll() {
        if !self.isEmpty { self.headers.removeAll() }
    }

    package var isEmpty: Bool { self.headers.isEmpty }

    /// The first value of that key as it travels.
    package subscript(key: GRPCMetadataKey) -> ArraySlice<UInt8>? { self.headers[key] }

    package func string(_ key: GRPCMetadataKey) -> String? { self.headers.string(key) }

    /// The first value of a `-bin` key; nil when it is missing or not base64. Values of one key may have been joined by
    /// commas on the way.
    package func binary(_ key: GRPCMetadataKey) -> [UInt8]? {
        guard let value = self.headers[key] else { return nil }
        return Base64.decode(value.prefix { $0 != UInt8(ascii: ",") }, .standard)
    }

    package mutating func append(_ key: GRPCMetadataKey, _ value: String) {
        self.headers.append(key, value)
    }

    mutating func append(_ key: GRPCMetadataKey, bytes value: ArraySlice<UInt8>) {
        self.headers.append(key, value)
    }

    /// `key` ends in `-bin`.
    package mutating func append(_ key: GRPCMetadataKey, binary value: some Collection<UInt8>) {
        self.headers.append(key, Base64.encode(value, .standard, isPadded: false))
    }
}

extension HTTP2Headers {
    mutating func append(contentsOf metadata: GRPCMetadata) {
        for position in 0..<metadata.headers.count {
            let (name, value) = metadata.headers[position]
            self.append(name: name, value: value)
        }
    }
}
