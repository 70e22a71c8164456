/// A document's fields, still encoded, with its times: what a read returns and a version stores.
package struct Document: Hashable, Sendable {
    package var fields: EncodedFields
    package var createTime: Timestamp
    package var updateTime: Timestamp

    package init(fields: EncodedFields, createTime: Timestamp, updateTime: Timestamp) {
        self.fields = fields
        self.createTime = createTime
        self.updateTime = updateTime
    }
}
