package import BrasaIdentity

/// For other rooms that are sent JSON.
package enum JSONText {
    /// The members of the object that the text is; nil when it is none. The caller bounds its length.
    package static func object(_ text: [UInt8], valuesMax: Int = 1_000) -> [ClaimName: Claim]? {
        try? JSONReader.object(text, valuesMax: valuesMax)
    }
}
