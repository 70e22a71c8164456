import BrasaBytes

extension FirestoreDescriptors {
    /// The set's bytes. Decoded on every call; who serves reflection keeps them.
    package static var fileSet: [UInt8] {
        Base64.decode(UnsafeBufferPointer(start: self.text.utf8Start, count: self.text.utf8CodeUnitCount), .standard)
            ?? []
    }
}
