/// The names that requests and responses are understood by. A field is told for one of them as it arrives, so that asking a
/// list for it later costs no search.
enum HTTP2KnownName: UInt8 {
    case method, path, scheme, authority, status
    case contentType, authorization
    case traceparent
    case grpcTimeout, grpcEncoding, grpcAcceptEncoding, grpcStatus, grpcMessage

    init?(_ name: UnsafeRawBufferPointer) {
        let candidates: (Self, Self?, Self?)
        switch name.count {
        case 5: candidates = (.path, nil, nil)
        case 7: candidates = (.method, .scheme, .status)
        case 10: candidates = (.authority, nil, nil)
        case 11: candidates = (.grpcStatus, .traceparent, nil)
        case 12: candidates = (.contentType, .grpcTimeout, .grpcMessage)
        case 13: candidates = (.grpcEncoding, .authorization, nil)
        case 20: candidates = (.grpcAcceptEncoding, nil, nil)
        default: return nil
        }
        if candidates.0.isSpelled(name) {
            self = candidates.0
        } else if let second = candidates.1, second.isSpelled(name) {
            self = second
        } else if let third = candidates.2, third.isSpelled(name) {
            self = third
        } else {
            return nil
        }
    }

    private var text: StaticString {
        switch self {
        case .method: ":method"
        case .path: ":path"
        case .scheme: ":scheme"
        case .authority: ":authority"
        case .status: ":status"
        case .contentType: "content-type"
        case .authorization: "authorization"
        case .traceparent: "traceparent"
        case .grpcTimeout: "grpc-timeout"
        case .grpcEncoding: "grpc-encoding"
        case .grpcAcceptEncoding: "grpc-accept-encoding"
        case .grpcStatus: "grpc-status"
        case .grpcMessage: "grpc-message"
        }
    }

    private func isSpelled(_ name: UnsafeRawBufferPointer) -> Bool {
        name.isEqual(to: self.text)
    }

    /// Where in a list the first field of each known name stands, counted from one; zero for none.
    struct Positions {
        private var places = SIMD16<UInt16>.zero
        /// Behind the names' places: a bit for each that has come more than once.
        private static let repeated = 15

        /// Nil when there is none.
        func position(of name: HTTP2KnownName) -> Int? {
            let place = self.places[Int(name.rawValue)]
            return place == 0 ? nil : Int(place) - 1
        }

        /// Whether there is more than one.
        func isRepeated(_ name: HTTP2KnownName) -> Bool {
            self.places[Self.repeated] & (1 << UInt16(name.rawValue)) != 0
        }

        mutating func note(_ name: HTTP2KnownName, at position: Int) {
            guard position < Self.countMax else { return }
            guard self.places[Int(name.rawValue)] == 0 else {
                self.places[Self.repeated] |= 1 << UInt16(name.rawValue)
                return
            }
            self.places[Int(name.rawValue)] = UInt16(truncatingIfNeeded: position + 1)
        }

        /// A longer list is searched.
        static let countMax = Int(UInt16.max)
    }
}
