/// Why a stream or a connection ended, as it stands in RST_STREAM and GOAWAY (RFC 9113, section 7).
/// Any number may arrive; the named ones are those that the RFC gives a meaning.
package struct HTTP2ErrorCode: Hashable, Sendable, RawRepresentable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static var noError: Self { Self(rawValue: 0x0) }
    package static var protocolError: Self { Self(rawValue: 0x1) }
    package static var internalError: Self { Self(rawValue: 0x2) }
    package static var flowControlError: Self { Self(rawValue: 0x3) }
    package static var settingsTimeout: Self { Self(rawValue: 0x4) }
    package static var streamClosed: Self { Self(rawValue: 0x5) }
    package static var frameSizeError: Self { Self(rawValue: 0x6) }
    /// The stream was not processed at all: safe to try again.
    package static var refusedStream: Self { Self(rawValue: 0x7) }
    package static var cancel: Self { Self(rawValue: 0x8) }
    package static var compressionError: Self { Self(rawValue: 0x9) }
    package static var connectError: Self { Self(rawValue: 0xa) }
    package static var enhanceYourCalm: Self { Self(rawValue: 0xb) }
    package static var inadequateSecurity: Self { Self(rawValue: 0xc) }
    package static var http11Required: Self { Self(rawValue: 0xd) }
}
