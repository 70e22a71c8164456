/// The names that requests and responses are understood by. A field is told for one of them as it arrives, so that asking a
/// list for it later costs no search.
enum HTTP2KnownName: UInt8 {
    case method, path, scheme, authority, status
    case contentType, authorization
    case traceparent
    case grpcTimeout, grpcEncoding, grpcAcceptEncoding, grpcStatus, grpcMessage

    /// Its size and one letter leave one candidate, so that a field costs one comparison at most.
    init?(_ name: UnsafeRawBufferPointer) {
        let candidate: Self
        switch name.count {
        case 5: candidate = .path
        case 7:
            switch name[2] {
            case UInt8(ascii: "e"): candidate = .method
            case UInt8(ascii: "c"): candidate = .scheme
            default: candidate = .status
            }
        case 10: candidate = .authority
        case 11: candidate = name[0] == UInt8(ascii: "g") ? .grpcStatus : .traceparent
        case 12:
            switch name[5] {
            case UInt8(ascii: "n"): candidate = .contentType
            case UInt8(ascii: "t"): candidate = .grpcTimeout
            default: candidate = .grpcMessage
            }
        case 13: candidate = name[0] == UInt8(ascii: "g") ? .grpcEncoding : .authorization
        case 20: candidate = .grpcAcceptEncoding
        default: return nil
        }
        guard candidate.isSpelled(name) else { return nil }
        self = candidate
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
