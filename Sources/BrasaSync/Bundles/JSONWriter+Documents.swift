import BrasaBytes
internal import BrasaDocuments

extension JSONWriter {
    /// A Document message.
    mutating func document(_ document: Document, _ name: DocumentName) {
        self.object { writer in
            writer.member("name", name.string)
            if !document.fields.isEmpty {
                writer.member("fields") { $0.fields(document.fields.decoded) }
            }
            writer.member("createTime") { $0.timestamp(document.createTime) }
            writer.member("updateTime") { $0.timestamp(document.updateTime) }
        }
    }

    private mutating func fields(_ entries: [Value.MapEntry]) {
        self.object { writer in
            for entry in entries { writer.member(entry.key.string) { $0.value(entry.value) } }
        }
    }

    /// A Value message.
    mutating func value(_ value: Value) {
        self.object { writer in
            switch value {
            case .null: writer.member("nullValue") { $0.null() }
            case .boolean(let boolean): writer.member("booleanValue") { $0.boolean(boolean) }
            case .integer(let integer): writer.member("integerValue", integer.description)
            case .double(let double): writer.member("doubleValue") { $0.number(double) }
            case .timestamp(let time): writer.member("timestampValue") { $0.timestamp(time) }
            case .string(let text): writer.member("stringValue") { $0.string(text.bytes) }
            case .bytes(let bytes): writer.member("bytesValue") { $0.base64(bytes) }
            case .reference(let name): writer.member("referenceValue", name.string)
            case .geoPoint(let latitude, let longitude):
                writer.member("geoPointValue") { $0.geoPoint(latitude, longitude) }
            case .array(let elements):
                writer.member("arrayValue") { $0.values(elements) }
            case .map(let entries):
                writer.member("mapValue") { writer in
                    writer.object { writer in
                        if !entries.isEmpty { writer.member("fields") { $0.fields(entries) } }
                    }
                }
            }
        }
    }

    private mutating func geoPoint(_ latitude: Double, _ longitude: Double) {
        self.object { writer in
            // Zero is what is not said.
            if latitude.bitPattern != 0 { writer.member("latitude") { $0.number(latitude) } }
            if longitude.bitPattern != 0 { writer.member("longitude") { $0.number(longitude) } }
        }
    }

    private mutating func values(_ elements: [Value]) {
        self.object { writer in
            guard !elements.isEmpty else { return }
            writer.member("values") { $0.array(elements) { $1.value($0) } }
        }
    }
}
