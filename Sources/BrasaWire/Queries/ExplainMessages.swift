internal import BrasaDocuments
internal import BrasaMessages
internal import CBrasaFirestoreV1

extension ExplainOptions {
    init?(_ envelope: UnsafeMutablePointer<ExplainOptionsEnvelope>?) {
        guard let envelope else { return nil }
        self.init(analyze: envelope.pointee.analyze != 0)
    }
}

extension ExplainOptions: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, bool: self.analyze)
    }
}

extension ExplainMetrics {
    init?(
        _ envelope: UnsafeMutablePointer<ExplainMetricsEnvelope>?,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        guard let envelope = envelope?.pointee else { return nil }
        self.init(indexesUsed: nil)
        if let plan = envelope.plan_summary?.pointee {
            var indexes: [StructMessage] = []
            for index in repeated(plan.n_indexes_used, plan.indexes_used) {
                indexes.append(try StructMessage(decoding: index.bytes, with: decoder))
            }
            self.indexesUsed = indexes
        }
        if let execution = envelope.execution_stats?.pointee {
            self.execution = try ExecutionStatistics(execution, with: decoder)
        }
    }
}

extension ExplainMetrics: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, self.indexesUsed.map(PlanSummaryMessage.init))
        sink.write(2, self.execution)
    }

    private struct PlanSummaryMessage: WireMessage {
        let indexes: [StructMessage]

        func encode(to sink: inout WireSink) {
            for index in self.indexes { sink.keep(1, index) }
        }
    }
}

extension ExecutionStatistics {
    fileprivate init(
        _ envelope: ExecutionStatsEnvelope,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        self.init(
            resultsReturned: envelope.results_returned,
            duration: .zero,
            readOperations: envelope.read_operations,
            debug: try StructMessage(decoding: envelope.debug_stats.bytes, with: decoder)
        )
        if let duration = envelope.execution_duration?.pointee {
            self.duration = .seconds(duration.seconds) + .nanoseconds(duration.nanos)
        }
    }
}

extension ExecutionStatistics: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, varint: UInt64(bitPattern: self.resultsReturned))
        sink.keep(3, DurationMessage(duration: self.duration))
        sink.write(4, varint: UInt64(bitPattern: self.readOperations))
        sink.keep(5, self.debug)
    }

    private struct DurationMessage: WireMessage {
        let duration: Duration

        func encode(to sink: inout WireSink) {
            let (seconds, attoseconds) = self.duration.components
            sink.write(1, varint: UInt64(bitPattern: seconds))
            sink.write(2, int32: Int32(attoseconds / 1_000_000_000))
        }
    }
}
