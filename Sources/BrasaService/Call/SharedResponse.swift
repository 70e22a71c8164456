/// A response that several calls are sent alike, with what the doors have made of it: each encodes it once. Belongs to one
/// event loop.
package final class SharedResponse<Response: Sendable> {
    package let response: Response
    package var encodings = SharedEncodings()
    /// Of what this response has in common with others, if that is worth sharing.
    package let part: SharedPart?

    init(_ response: Response, part: SharedPart? = nil) {
        self.response = response
        self.part = part
    }
}

/// A part that several responses have, for example a large document.
package final class SharedPart {
    package var encodings = SharedEncodings()
}

/// Two such responses that are sent one after the other, so that a door can put them together once as well.
package final class SharedPair<Response: Sendable> {
    package let first: SharedResponse<Response>
    package let second: SharedResponse<Response>
    package var encodings = SharedEncodings()

    init(_ first: SharedResponse<Response>, _ second: SharedResponse<Response>) {
        self.first = first
        self.second = second
    }
}

/// A slot for each encoding, told apart by the class that a door keeps it in.
package struct SharedEncodings {
    /// Nearly always the only one. A door that looks here first need not search: a cast to a class that it knows costs
    /// next to nothing.
    package private(set) var first: AnyObject?
    private var others: [AnyObject] = []

    init() {}

    package mutating func encoding<Encoded: AnyObject>(_ make: () -> Encoded) -> Encoded {
        if let first = self.first {
            if let encoded = first as? Encoded { return encoded }
            for other in self.others {
                if let encoded = other as? Encoded { return encoded }
            }
            let encoded = make()
            self.others.append(encoded)
            return encoded
        }
        let encoded = make()
        self.first = encoded
        return encoded
    }
}
