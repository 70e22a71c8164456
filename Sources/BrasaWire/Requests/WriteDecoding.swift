internal import BrasaDocuments
internal import CBrasaFirestoreV1

/// Writes from their unpacked form, all in one database.
extension Write {
    init(_ envelope: WriteEnvelope, in database: DatabaseName) throws(DocumentError) {
        let mask = try fieldPaths(envelope.update_mask)
        var transforms = try FieldTransform.decode(envelope.n_update_transforms, envelope.update_transforms)
        let name: DocumentName
        let operation: Operation
        switch envelope.operation_case {
        case BRASA__WIRE__WRITE__OPERATION_UPDATE:
            let document = try DocumentMessage(decoding: envelope.update.bytes)
            name = try DocumentName(
                parsing: UnsafeRawBufferPointer(rebasing: envelope.update.bytes[document.name]),
                in: database
            )
            operation = mask.map { .merge(document.fields, mask: $0) } ?? .set(document.fields)
        case BRASA__WIRE__WRITE__OPERATION_DELETE:
            name = try DocumentName(parsing: envelope.delete_.bytes, in: database)
            guard mask == nil else { throw DocumentError(.deleteWithMask) }
            guard transforms.isEmpty else { throw DocumentError(.deleteWithTransform) }
            operation = .delete
        case BRASA__WIRE__WRITE__OPERATION_VERIFY:
            name = try DocumentName(parsing: envelope.verify.bytes, in: database)
            guard transforms.isEmpty else { throw DocumentError(.verifyWithTransform) }
            operation = .verify
        case BRASA__WIRE__WRITE__OPERATION_TRANSFORM:
            guard let transform = envelope.transform?.pointee else { throw DocumentError(.emptyWrite) }
            name = try DocumentName(parsing: transform.document.bytes, in: database)
            guard mask == nil else { throw DocumentError(.transformWithMask) }
            guard transforms.isEmpty else { throw DocumentError(.transformWithTransform) }
            // The older form: what an update with an empty mask does.
            transforms = try FieldTransform.decode(transform.n_field_transforms, transform.field_transforms)
            guard !transforms.isEmpty else { throw DocumentError(.transformEmpty) }
            operation = .merge(.empty, mask: [])
        default:
            throw DocumentError(.emptyWrite)
        }
        self.init(
            name: name,
            operation: operation,
            transforms: transforms,
            precondition: try BrasaWire.precondition(envelope.current_document)
        )
    }
}

extension FieldTransform {
    fileprivate static func decode(
        _ count: Int,
        _ envelopes: UnsafeMutablePointer<UnsafeMutablePointer<FieldTransformEnvelope>?>?
    ) throws(DocumentError) -> [FieldTransform] {
        guard count > 0 else { return [] }
        guard count <= Limits.transformsPerDocumentMax else { throw DocumentError(.tooManyTransforms) }
        var transforms: [FieldTransform] = []
        transforms.reserveCapacity(count)
        for case let envelope? in repeated(count, envelopes) {
            transforms.append(try FieldTransform(envelope.pointee))
        }
        return transforms
    }

    private init(_ envelope: FieldTransformEnvelope) throws(DocumentError) {
        let operation: Operation
        switch envelope.transform_type_case {
        case BRASA__WIRE__FIELD_TRANSFORM__TRANSFORM_TYPE_SET_TO_SERVER_VALUE:
            guard envelope.set_to_server_value == Self.requestTimeNumber else {
                throw DocumentError(.transformTypeUnset)
            }
            operation = .requestTime
        case BRASA__WIRE__FIELD_TRANSFORM__TRANSFORM_TYPE_INCREMENT:
            operation = .increment(try Value(decoding: envelope.increment.bytes))
        case BRASA__WIRE__FIELD_TRANSFORM__TRANSFORM_TYPE_MAXIMUM:
            operation = .maximum(try Value(decoding: envelope.maximum.bytes))
        case BRASA__WIRE__FIELD_TRANSFORM__TRANSFORM_TYPE_MINIMUM:
            operation = .minimum(try Value(decoding: envelope.minimum.bytes))
        case BRASA__WIRE__FIELD_TRANSFORM__TRANSFORM_TYPE_APPEND_MISSING_ELEMENTS:
            operation = .appendMissingElements(try Self.elements(envelope.append_missing_elements))
        case BRASA__WIRE__FIELD_TRANSFORM__TRANSFORM_TYPE_REMOVE_ALL_FROM_ARRAY:
            operation = .removeAllFromArray(try Self.elements(envelope.remove_all_from_array))
        default:
            throw DocumentError(.transformTypeUnset)
        }
        self.init(path: try FieldPath(parsing: envelope.field_path.bytes), operation: operation)
    }

    /// `REQUEST_TIME` of the enum ServerValue.
    static let requestTimeNumber: Int32 = 1

    private static func elements(
        _ array: UnsafeMutablePointer<ArrayValueEnvelope>?
    ) throws(DocumentError) -> [Value] {
        guard let array = array?.pointee else { return [] }
        var elements: [Value] = []
        elements.reserveCapacity(array.n_values)
        for value in repeated(array.n_values, array.values) {
            elements.append(try Value(decoding: value.bytes))
        }
        return elements
    }
}
