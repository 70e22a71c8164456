package import BrasaDocuments

/// A `google.protobuf.Struct`, its fields in order.
package struct StructMessage: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var key: UTF8Text
        package var value: FieldValue

        package init(_ key: UTF8Text, _ value: FieldValue) {
            self.key = key
            self.value = value
        }
    }

    package indirect enum FieldValue: Hashable, Sendable {
        case null
        case number(Double)
        case text(UTF8Text)
        case bool(Bool)
        case fields(StructMessage)
        case list([FieldValue])
    }

    package var fields: [Field]

    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    package subscript(_ key: UTF8Text) -> FieldValue? {
        self.fields.first { $0.key == key }?.value
    }
}
