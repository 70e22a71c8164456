internal import BrasaDocuments
internal import BrasaQueries
internal import CBrasaFirestoreV1

extension StructuredAggregationQuery {
    init(
        _ envelope: StructuredAggregationQueryEnvelope,
        in database: DatabaseName,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        self.init(query: nil, aggregations: [])
        if envelope.query_type_case == BRASA__WIRE__STRUCTURED_AGGREGATION_QUERY__QUERY_TYPE_STRUCTURED_QUERY,
            let query = envelope.structured_query
        {
            self.query = try StructuredQuery(query.pointee, in: database, with: decoder)
        }
        do throws(DocumentError) {
            for case let aggregation? in repeated(envelope.n_aggregations, envelope.aggregations) {
                self.aggregations.append(try Aggregation(aggregation.pointee))
            }
        } catch {
            throw .document(error)
        }
    }
}

extension StructuredAggregationQuery.Aggregation {
    fileprivate init(_ envelope: AggregationEnvelope) throws(DocumentError) {
        let operation: StructuredAggregationQuery.Operation? =
            switch envelope.operator_case {
            case BRASA__WIRE__AGGREGATION__OPERATOR_COUNT:
                .count(upTo: envelope.count?.pointee.up_to?.pointee.value)
            case BRASA__WIRE__AGGREGATION__OPERATOR_SUM:
                .sum(try fieldPath(envelope.sum?.pointee.field))
            case BRASA__WIRE__AGGREGATION__OPERATOR_AVG:
                .average(try fieldPath(envelope.avg?.pointee.field))
            default:
                nil
            }
        self.init(operation, alias: try envelope.alias.text("alias"))
    }
}

extension StructuredAggregationQuery: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, self.query)
        for aggregation in self.aggregations { sink.keep(3, aggregation) }
    }
}

extension StructuredAggregationQuery.Aggregation: WireMessage {
    func encode(to sink: inout WireSink) {
        switch self.operation {
        case .count(let upTo): sink.keep(1, CountMessage(upTo: upTo))
        case .sum(let field): sink.keep(2, FieldOperandMessage(field: field))
        case .average(let field): sink.keep(3, FieldOperandMessage(field: field))
        case nil: break
        }
        sink.write(7, bytes: self.alias.bytes)
    }

    private struct CountMessage: WireMessage {
        let upTo: Int64?

        func encode(to sink: inout WireSink) {
            sink.write(1, self.upTo.map(Int64Message.init))
        }
    }

    private struct Int64Message: WireMessage {
        let value: Int64

        func encode(to sink: inout WireSink) {
            sink.write(1, varint: UInt64(bitPattern: self.value))
        }
    }

    /// Of a sum or an average.
    private struct FieldOperandMessage: WireMessage {
        let field: FieldPath?

        func encode(to sink: inout WireSink) {
            sink.write(1, self.field.map(FieldReferenceMessage.init))
        }
    }
}
