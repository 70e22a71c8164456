internal import CBrasaNghttp2

/// Owner of one `nghttp2_session`. Only `receive` and `nextOutput` run callbacks, and neither may be called from one;
/// everything else may. The session copies all names and values that it is given, but those of a `HTTP2HeaderBlock`.
struct Nghttp2Session: ~Copyable {
    private let pointer: OpaquePointer
    private let memory = Nghttp2Memory()

    init(isServer: Bool, limits: HTTP2Limits) {
        var options: OpaquePointer?
        var session: OpaquePointer?
        precondition(nghttp2_option_new(&options) == 0, "out of memory")
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_no_closed_streams(options, 1)
        nghttp2_option_set_max_outbound_ack(options, 1000)
        // RateBudget judges resets; the library's own rule is too strict for clients that cancel a lot.
        nghttp2_option_set_stream_reset_rate_limit(options, .max, .max)
        if !isServer { nghttp2_option_set_peer_max_concurrent_streams(options, 100) }

        let callbacks = makeNghttp2Callbacks()
        defer { nghttp2_session_callbacks_del(callbacks) }
        var memory = self.memory.functions
        let status =
            isServer
            ? nghttp2_session_server_new3(&session, callbacks, nil, options, &memory)
            : nghttp2_session_client_new3(&session, callbacks, nil, options, &memory)
        guard status == 0, let session else { preconditionFailure("out of memory") }
        self.pointer = session
        self.submitInitialSettings(isServer: isServer, limits: limits)
    }

    deinit { nghttp2_session_del(self.pointer) }

    /// How much memory that streams have freed is kept for those to come.
    func keepFreed(_ bytesMax: Int) { self.memory.keepFreed(bytesMax) }

    private func submitInitialSettings(isServer: Bool, limits: HTTP2Limits) {
        func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
            nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
        }
        var entries = [
            entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, min(limits.streamWindowBytes, Int(Int32.max))),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headerListBytesMax),
            entry(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, min(max(limits.frameBytesMax, 16 << 10), (1 << 24) - 1)),
        ]
        if isServer {
            entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.concurrentStreamsMax))
        } else {
            entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
        }
        var status = nghttp2_submit_settings(self.pointer, 0, entries, entries.count)
        precondition(status == 0, "settings out of range")
        status = nghttp2_session_set_local_window_size(
            self.pointer,
            0,
            0,
            Int32(clamping: max(limits.connectionWindowBytes, 65_535))
        )
        precondition(status == 0, "window out of range")
    }

    func setOwner(_ owner: UnsafeMutableRawPointer) {
        nghttp2_session_set_user_data(self.pointer, owner)
    }

    // MARK: Bytes

    /// Feeds bytes; negative when the connection is beyond help.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        nghttp2_session_mem_recv(self.pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// The next bytes to send, valid until the next call; empty when there are none, nil when the session failed.
    func nextOutput() -> UnsafeRawBufferPointer? {
        var bytes: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(self.pointer, &bytes)
        return count < 0 ? nil : UnsafeRawBufferPointer(start: bytes, count: count)
    }

    var wantsRead: Bool { nghttp2_session_want_read(self.pointer) != 0 }
    var wantsWrite: Bool { nghttp2_session_want_write(self.pointer) != 0 }
    /// Frames that wait to be sent, DATA left out.
    var outboundFrames: Int { nghttp2_session_get_outbound_queue_size(self.pointer) }

    // MARK: Streams

    func streamData(_ id: Int32) -> UnsafeMutableRawPointer? {
        nghttp2_session_get_stream_user_data(self.pointer, id)
    }

    func setStreamData(_ id: Int32, _ data: UnsafeMutableRawPointer?) {
        _ = nghttp2_session_set_stream_user_data(self.pointer, id, data)
    }

    /// A request on a new stream; its id, or nil when the session takes no more.
    func submitRequest(_ headers: OutboundHeaders, endStream: Bool, stream: UnsafeMutableRawPointer)
        -> Int32?
    {
        let id = headers.withNameValues { fields, count in
            if endStream { return nghttp2_submit_request(self.pointer, nil, fields, count, nil, stream) }
            var body = makeDataProvider(stream: stream)
            return nghttp2_submit_request(self.pointer, nil, fields, count, &body, stream)
        }
        return id > 0 ? id : nil
    }

    func submitResponse(
        _ id: Int32,
        _ headers: OutboundHeaders,
        endStream: Bool,
        stream: UnsafeMutableRawPointer
    ) -> Bool {
        let status = headers.withNameValues { fields, count in
            if endStream { return nghttp2_submit_response(self.pointer, id, fields, count, nil) }
            var body = makeDataProvider(stream: stream)
            return nghttp2_submit_response(self.pointer, id, fields, count, &body)
        }
        return status == 0
    }

    func submitTrailers(_ id: Int32, _ trailers: OutboundHeaders) -> Bool {
        trailers.withNameValues { nghttp2_submit_trailer(self.pointer, id, $0, $1) } == 0
    }

    func resumeData(_ id: Int32) {
        _ = nghttp2_session_resume_data(self.pointer, id)
    }

    func reset(_ id: Int32, _ code: HTTP2ErrorCode) {
        _ = nghttp2_submit_rst_stream(self.pointer, 0, id, code.rawValue)
    }

    // MARK: Windows

    /// Opens a stream's window, or with id 0 the connection's, by bytes that were received and not given back before.
    func submitWindowUpdate(_ id: Int32, _ increment: Int) {
        _ = nghttp2_submit_window_update(self.pointer, 0, id, Int32(clamping: increment))
    }

    /// What was received on all streams and not given back, also data of streams that are gone and padding.
    var outstandingBytes: Int { Int(nghttp2_session_get_effective_recv_data_length(self.pointer)) }

    // MARK: Connection

    func submitPing(_ opaque: PingPayload) {
        withUnsafeBytes(of: opaque.rawValue.bigEndian) { bytes in
            _ = nghttp2_submit_ping(self.pointer, 0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
    }

    func submitShutdownNotice() {
        _ = nghttp2_submit_shutdown_notice(self.pointer)
    }

    /// GOAWAY with the last stream that was processed: later ones are refused.
    func submitGoaway() {
        let last = nghttp2_session_get_last_proc_stream_id(self.pointer)
        _ = nghttp2_submit_goaway(self.pointer, 0, last, HTTP2ErrorCode.noError.rawValue, nil, 0)
    }

    /// GOAWAY, after which the session neither reads nor writes.
    func terminate(_ code: HTTP2ErrorCode) {
        _ = nghttp2_session_terminate_session(self.pointer, code.rawValue)
    }

    var peerConcurrentStreamsMax: Int {
        Int(nghttp2_session_get_remote_settings(self.pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }
}

/// What our own PINGs carry, so that their acknowledgements tell what they were for.
struct PingPayload: Equatable, RawRepresentable {
    var rawValue: UInt64

    static var keepalive: Self { Self(rawValue: 0x6272_6173_6100_0001) }
    static var drain: Self { Self(rawValue: 0x6272_6173_6100_0002) }
}

extension HTTP2Headers {
    /// Calls `body` with the fields as nghttp2 takes them; valid within the call.
    func withNameValues<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: self.fields.count) { list in
            self.bytes.withUnsafeBufferPointer { bytes in
                // nghttp2 only reads: its type is not const because fields may also be handed over.
                let base = UnsafeMutablePointer(mutating: bytes.baseAddress)
                for (position, field) in self.fields.enumerated() {
                    list.initializeElement(
                        at: position,
                        to: nghttp2_nv(
                            name: base.map { $0 + Int(field.start) },
                            value: base.map { $0 + field.valueStart },
                            namelen: Int(field.nameCount),
                            valuelen: Int(field.valueCount),
                            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                        )
                    )
                }
                return body(UnsafePointer(list.baseAddress), self.fields.count)
            }
        }
    }
}
