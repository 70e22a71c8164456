internal import CBrasaNghttp2

// The C side's rules: callbacks run inside `receive` and `nextOutput` only; pointers are valid until the callback returns;
// a callback may submit frames but may not run the session again; a non-zero answer (CALLBACK_FAILURE) stops the session.
// The user data is the HTTP2Connection, which owns the session and so outlives it; a stream's user data is the
// HTTP2Stream, which the connection keeps until the stream's close callback.

private let stop = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

/// Recovers the connection for the length of a call, without counting a reference: callbacks run within the connection's
/// own methods.
@inline(__always)
private func with<Result>(_ data: UnsafeMutableRawPointer, _ body: (HTTP2Connection) -> Result) -> Result {
    Unmanaged<HTTP2Connection>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
}

/// The same with a stream, for callbacks that ask for its body: the connection's list keeps it, and they close none.
@inline(__always)
private func with<Result>(
    _ owner: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer,
    _ body: (HTTP2Connection, HTTP2Stream) -> Result
) -> Result {
    Unmanaged<HTTP2Stream>.fromOpaque(stream)._withUnsafeGuaranteedRef { stream in
        with(owner) { body($0, stream) }
    }
}

func makeNghttp2Callbacks() -> OpaquePointer {
    var callbacks: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else { preconditionFailure("out of memory") }

    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, owner in
        guard let header, let owner else { return stop }
        return with(owner) { $0.frameBegan(FrameHeader(header.pointee)) } ? 0 : stop
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, owner in
        guard let frame, let owner else { return stop }
        let isRequest = frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
        with(owner) { $0.headersBegan(frame.pointee.hd.stream_id, isRequest: isRequest) }
        return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, _, name, nameCount, value, valueCount, _, owner in
        guard let owner else { return stop }
        let name = UnsafeRawBufferPointer(start: name, count: nameCount)
        let value = UnsafeRawBufferPointer(start: value, count: valueCount)
        return with(owner) { $0.headerReceived(name, value) } ? 0 : stop
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, owner in
        guard let bytes, let owner else { return stop }
        let isClosed = with(owner) { connection in
            connection.dataReceived(id, UnsafeRawBufferPointer(start: bytes, count: count))
            return connection.isClosed
        }
        return isClosed ? stop : 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
        guard let frame, let owner else { return stop }
        return with(owner) { $0.frameReceived(ReceivedFrame(frame.pointee)) } ? 0 : stop
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, owner in
        guard let owner else { return stop }
        // Whoever has heard of it may have closed the channel, and with it the streams that would be next.
        let isClosed = with(owner) { connection in
            connection.streamClosed(id, HTTP2ErrorCode(rawValue: code))
            return connection.isClosed
        }
        return isClosed ? stop : 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, owner in
        guard let frame, let owner else { return stop }
        let header = FrameHeader(frame.pointee.hd)
        let code: UInt32 =
            switch header.kind {
            case .reset: frame.pointee.rst_stream.error_code
            case .goaway: frame.pointee.goaway.error_code
            default: 0
            }
        with(owner) { $0.frameSent(header, HTTP2ErrorCode(rawValue: code)) }
        return 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, owner in
        guard let frame, let owner else { return stop }
        with(owner) { $0.frameNotSent(FrameHeader(frame.pointee.hd)) }
        return 0
    }
    // Writes the frame's header and then the bytes that `nextData` promised, straight from the stream's queue.
    nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, _, header, count, source, owner in
        guard let header, let owner, let stream = source?.pointee.ptr else { return stop }
        with(owner, stream) {
            $0.sendData(header: UnsafeRawBufferPointer(start: header, count: 9), count: count, of: $1)
        }
        return 0
    }
    return callbacks
}

/// The pull side of a stream's body. Called while bytes may be sent and the stream is not deferred.
func makeDataProvider(stream data: UnsafeMutableRawPointer) -> nghttp2_data_provider {
    nghttp2_data_provider(source: nghttp2_data_source(ptr: data)) { _, _, _, room, flags, source, owner in
        guard let owner, let stream = source?.pointee.ptr else { return Int(stop) }
        switch with(owner, stream, { $0.nextData(of: $1, room: room) }) {
        case .nothingYet:
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .bytes(let count, let end):
            var set = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
            if end != .open { set |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            if end == .trailersFollow { set |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue }
            flags?.pointee |= UInt32(set)
            return count
        }
    }
}

/// The head of a frame, of either direction.
struct FrameHeader {
    enum Kind { case data, headers, priority, reset, settings, ping, goaway, windowUpdate, continuation, other }

    var kind: Kind
    var streamID: Int32
    var payloadBytes: Int
    var isAck: Bool
    var endStream: Bool
    var endHeaders: Bool

    /// From the nine bytes that it is on the wire.
    init(bigEndian bits: UInt128) {
        self.init(
            nghttp2_frame_hd(
                length: Int(truncatingIfNeeded: bits >> 48),
                stream_id: Int32(truncatingIfNeeded: bits & 0x7fff_ffff),
                type: UInt8(truncatingIfNeeded: bits >> 40),
                flags: UInt8(truncatingIfNeeded: bits >> 32),
                reserved: 0
            )
        )
    }

    init(_ header: nghttp2_frame_hd) {
        self.kind =
            switch nghttp2_frame_type(rawValue: UInt32(header.type)) {
            case NGHTTP2_DATA: .data
            case NGHTTP2_HEADERS: .headers
            case NGHTTP2_PRIORITY: .priority
            case NGHTTP2_RST_STREAM: .reset
            case NGHTTP2_SETTINGS: .settings
            case NGHTTP2_PING: .ping
            case NGHTTP2_GOAWAY: .goaway
            case NGHTTP2_WINDOW_UPDATE: .windowUpdate
            case NGHTTP2_CONTINUATION: .continuation
            default: .other
            }
        self.streamID = header.stream_id
        self.payloadBytes = header.length
        // ACK and END_STREAM are the same bit on different frames.
        let lowestFlag = header.flags & 1 != 0
        self.isAck = lowestFlag && (self.kind == .settings || self.kind == .ping)
        self.endHeaders = header.flags & 4 != 0
        self.endStream = lowestFlag && (self.kind == .data || self.kind == .headers)
    }
}

/// A whole frame that was received, as far as anyone asks.
enum ReceivedFrame {
    case data(Int32, endStream: Bool)
    case headers(Int32, endStream: Bool)
    case reset(Int32)
    case pingAck(PingPayload)
    /// `isForPings`: it is gRPC's answer to too many of them.
    case goaway(lastStreamID: Int32, isForPings: Bool)
    /// The peer's own, not an acknowledgement.
    case settings
    case other

    init(_ frame: nghttp2_frame) {
        let header = FrameHeader(frame.hd)
        switch header.kind {
        case .data:
            self = .data(header.streamID, endStream: header.endStream)
        case .headers:
            self = .headers(header.streamID, endStream: header.endStream)
        case .reset:
            self = .reset(header.streamID)
        case .ping where header.isAck:
            let payload = withUnsafeBytes(of: frame.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) }
            self = .pingAck(PingPayload(rawValue: UInt64(bigEndian: payload)))
        case .goaway:
            let text = UnsafeRawBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
            let isForPings =
                frame.goaway.error_code == HTTP2ErrorCode.enhanceYourCalm.rawValue
                && text.elementsEqual("too_many_pings".utf8)
            self = .goaway(lastStreamID: frame.goaway.last_stream_id, isForPings: isForPings)
        case .settings where !header.isAck:
            self = .settings
        default:
            self = .other
        }
    }
}
