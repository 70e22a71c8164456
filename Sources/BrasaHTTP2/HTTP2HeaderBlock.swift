internal import CBrasaNghttp2

/// A header list that is always the same. It is prepared once and lives as long as the program, so that sending it copies
/// no bytes.
package struct HTTP2HeaderBlock: @unchecked Sendable {
    // Unchecked, because nothing writes to it after `init`.
    fileprivate let fields: UnsafePointer<nghttp2_nv>
    fileprivate let count: Int

    /// To be made for constants only: it is never freed.
    package init(_ fields: [(name: HTTP2HeaderName, value: StaticString)]) {
        let list = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: max(1, fields.count))
        for (position, field) in fields.enumerated() {
            let (name, value) = (Self.immortal(field.name.text), Self.immortal(field.value))
            (list + position).initialize(
                to: nghttp2_nv(
                    name: name.baseAddress,
                    value: value.baseAddress,
                    namelen: name.count,
                    valuelen: value.count,
                    flags: UInt8(
                        NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
                    )
                )
            )
        }
        self.fields = UnsafePointer(list)
        self.count = fields.count
    }

    private static func immortal(_ text: StaticString) -> UnsafeMutableBufferPointer<UInt8> {
        text.withUTF8Buffer { bytes in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
            _ = copy.initialize(from: bytes)
            return UnsafeMutableBufferPointer(rebasing: copy[..<bytes.count])
        }
    }
}

/// A header list on its way out.
enum OutboundHeaders {
    case list(HTTP2Headers)
    case block(HTTP2HeaderBlock)

    /// What is kept of it until it is sent.
    var keptBytes: Int {
        switch self {
        case .list(let headers): headers.listBytes
        case .block: 0
        }
    }

    /// Calls `body` with the fields as nghttp2 takes them; a list's are valid within the call.
    func withNameValues<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        switch self {
        case .list(let headers): headers.withNameValues(body)
        case .block(let block): body(block.fields, block.count)
        }
    }
}
