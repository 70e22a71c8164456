package import BrasaDocuments

extension StructuredQuery {
    package struct FindNearest: Hashable, Sendable {
        package var vectorField: FieldPath?
        package var queryVector: Value?
        package var distanceMeasure: DistanceMeasure
        package var limit: Int32?
        /// Empty when the distance is not asked for. Unchecked.
        package var distanceResultField: UTF8Text
        package var distanceThreshold: Double?

        package init(
            vectorField: FieldPath?,
            queryVector: Value?,
            distanceMeasure: DistanceMeasure,
            limit: Int32?,
            distanceResultField: UTF8Text = "",
            distanceThreshold: Double? = nil
        ) {
            self.vectorField = vectorField
            self.queryVector = queryVector
            self.distanceMeasure = distanceMeasure
            self.limit = limit
            self.distanceResultField = distanceResultField
            self.distanceThreshold = distanceThreshold
        }

        package enum DistanceMeasure: Int32, Hashable, Sendable {
            case unspecified = 0
            case euclidean = 1
            case cosine = 2
            case dotProduct = 3
        }
    }
}
