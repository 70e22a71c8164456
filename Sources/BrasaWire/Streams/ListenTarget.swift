internal import BrasaDocuments
internal import BrasaMessages
internal import BrasaQueries
internal import CBrasaFirestoreV1
internal import CBrasaProtobufC

extension ListenTarget {
    init(_ envelope: TargetEnvelope, in database: DatabaseName, with decoder: borrowing EnvelopeDecoder) {
        self.init(
            id: envelope.target_id,
            .unknown,
            once: envelope.once != 0,
            expectedCount: envelope.expected_count?.pointee.value
        )
        do throws(WireError) {
            self.resume = try WireError.wrapping { () throws(DocumentError) in try ResumePoint(envelope) }
            self.subject = .success(try Subject(envelope, in: database, with: decoder))
        } catch {
            self.subject = .failure(error.status)
        }
    }
}

extension ListenTarget.ResumePoint {
    /// An empty token is none, as clients without one send it.
    fileprivate init?(_ envelope: TargetEnvelope) throws(DocumentError) {
        switch envelope.resume_type_case {
        case BRASA__WIRE__TARGET__RESUME_TYPE_RESUME_TOKEN where !envelope.resume_token.isEmpty:
            self = .token(envelope.resume_token.array)
        case BRASA__WIRE__TARGET__RESUME_TYPE_READ_TIME:
            guard let time = try BrasaWire.readTime(envelope.read_time) else { return nil }
            self = .readTime(time)
        default:
            return nil
        }
    }
}

extension ListenTarget.Subject {
    fileprivate init(
        _ envelope: TargetEnvelope,
        in database: DatabaseName,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        switch envelope.target_type_case {
        case BRASA__WIRE__TARGET__TARGET_TYPE_QUERY:
            guard let target = envelope.query?.pointee else {
                self = .unknown
                return
            }
            let parent = try WireError.wrapping { () throws(DocumentError) in
                try ParentName(parsing: target.parent.bytes, in: database)
            }
            guard target.query_type_case == BRASA__WIRE__QUERY_TARGET__QUERY_TYPE_STRUCTURED_QUERY,
                let query = target.structured_query?.pointee
            else {
                self = .query(parent, nil)
                return
            }
            self = .query(parent, try StructuredQuery(query, in: parent.database, with: decoder))
        case BRASA__WIRE__TARGET__TARGET_TYPE_DOCUMENTS:
            self = .documents(
                try WireError.wrapping { () throws(DocumentError) in
                    try Self.names(envelope.documents, in: database)
                }
            )
        default:
            self = .unknown
        }
    }

    private static func names(
        _ target: UnsafeMutablePointer<DocumentsTargetEnvelope>?,
        in database: DatabaseName
    ) throws(DocumentError) -> [DocumentName] {
        guard let target = target?.pointee else { return [] }
        var names: [DocumentName] = []
        names.reserveCapacity(target.n_documents)
        for name in repeated(target.n_documents, target.documents) {
            names.append(try DocumentName(parsing: name.bytes, in: database))
        }
        return names
    }
}

// MARK: Writing

extension ListenTarget: WireMessage {
    func encode(to sink: inout WireSink) {
        switch try? self.subject.get() {
        case .query(let parent, let query): sink.keep(2, QueryTargetMessage(parent: parent, query: query))
        case .documents(let names): sink.keep(3, DocumentsTargetMessage(names: names))
        // What could not be read cannot be written either.
        case .unknown, nil: break
        }
        if case .token(let token) = self.resume { sink.keep(4, bytes: token) }
        sink.write(5, int32: self.id)
        sink.write(6, bool: self.once)
        if case .readTime(let time) = self.resume { sink.keep(11, time.time) }
        sink.write(12, self.expectedCount.map(Int32Message.init))
    }
}

private struct QueryTargetMessage: WireMessage {
    let parent: ParentName
    let query: StructuredQuery?

    func encode(to sink: inout WireSink) {
        sink.keep(1, self.parent)
        sink.write(2, self.query)
    }
}

private struct DocumentsTargetMessage: WireMessage {
    let names: [DocumentName]

    func encode(to sink: inout WireSink) {
        for name in self.names { sink.keep(2, name) }
    }
}
