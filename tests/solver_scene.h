// SPDX-License-Identifier: MIT
// Bodies and contacts for the tests of the solver, without a world around them. Everything is given in world coordinates;
// the bodies' own axes are those of the world.
#pragma once
#include <sunder/solver/contact_solver.h>

#include <Eigen/Dense>
#include <random>
#include <vector>

namespace sunder::testing {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct BodyInput {
  double mass = 1;                           // kg; 0: nothing moves it
  Matrix3d inertia = Matrix3d::Identity();   // kg m^2, world axes; 0: nothing turns it
  Vector3d position = Vector3d::Zero();      // m
  Vector3d velocity = Vector3d::Zero();      // m/s
  Vector3d angularVelocity = Vector3d::Zero();
  std::uint8_t locked = 0;  // bits: linear x y z, angular x y z
  bool takesPart = true;  // false: it is at rest for good, the solver knows it as number 0
};

// What is at rest and stays: the ground.
inline BodyInput immovable(const Vector3d& position = Vector3d::Zero()) {
  return {.mass = 0, .inertia = Matrix3d::Zero(), .position = position, .takesPart = false};
}

struct SolverScene {
  std::vector<BodyInput> bodies;
  std::vector<Contact> contacts;
  Vector3d gravity = Vector3d::Zero();
  ContactSolverSettings settings;
  int threads = 1;
  ContactSolver solver;

  // Points in world coordinates, all `gap` metres apart along the normal, which points from A to B.
  Contact& touch(std::uint32_t a, std::uint32_t b, const Vector3d& normal, const std::vector<Vector3d>& points, double friction = 0,
                 double restitution = 0, double gap = 0) {
    Contact contact;
    contact.bodyA = a;
    contact.bodyB = b;
    contact.friction = static_cast<float>(friction);
    contact.restitution = static_cast<float>(restitution);
    contact.pointCount = static_cast<std::uint8_t>(points.size());
    for (int k = 0; k < 3; ++k) contact.normal[k] = normal[k];
    for (std::size_t i = 0; i < points.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        contact.points[i].onA[k] = points[i][k] - 0.5 * gap * normal[k] - bodies[a].position[k];
        contact.points[i].onB[k] = points[i][k] + 0.5 * gap * normal[k] - bodies[b].position[k];
      }
    contacts.push_back(contact);
    return contacts.back();
  }

  // One step. Velocities of `bodies` are replaced, positions are not.
  void solve() {
    const std::vector<std::uint32_t>& numbers = fillSolver();
    ThreadPool pool(threads);
    solver.solve(contacts, active_, numbers, frames_, settings, pool);
    takeVelocities();
  }

  // The loads at rest. Velocities are replaced by what a substep would still add, m/s. Returns how many blocks were visited.
  int solveAtRest(double tolerance, float radius = 1) {
    const std::vector<std::uint32_t>& numbers = fillSolver();
    ThreadPool pool(threads);
    const std::vector<float> radii(solver.bodies.size(), radius);
    const int visits = solver.solveAtRest(contacts, active_, numbers, frames_, settings, radii, static_cast<float>(tolerance), pool);
    takeVelocities();
    return visits;
  }

  // How far a body moved in the last step (m).
  Vector3d displacement(std::size_t body) const {
    const float* d = solver.bodies[numbers_[body]].displacement;
    return Eigen::Vector3f(d[0], d[1], d[2]).cast<double>();
  }
  std::uint32_t solverNumber(std::size_t body) const { return numbers_[body]; }

  Vector3d momentum() const {
    Vector3d sum = Vector3d::Zero();
    for (const BodyInput& body : bodies) sum += body.mass * body.velocity;
    return sum;
  }
  Vector3d angularMomentum() const {  // about the origin
    Vector3d sum = Vector3d::Zero();
    for (const BodyInput& body : bodies) sum += body.mass * body.position.cross(body.velocity) + body.inertia * body.angularVelocity;
    return sum;
  }
  double kineticEnergy() const {
    double sum = 0;
    for (const BodyInput& body : bodies)
      sum += 0.5 * body.mass * body.velocity.squaredNorm() + 0.5 * body.angularVelocity.dot(body.inertia * body.angularVelocity);
    return sum;
  }

 private:
  const std::vector<std::uint32_t>& fillSolver() {
    numbers_.clear();
    active_.clear();
    frames_.clear();
    std::uint32_t count = 1;
    for (const BodyInput& body : bodies) {
      numbers_.push_back(body.takesPart ? count++ : 0);
      frames_.emplace_back();
      for (int k = 0; k < 3; ++k) frames_.back().position[k] = body.position[k];
    }
    for (std::uint32_t i = 0; i < contacts.size(); ++i) active_.push_back({i, contacts[i].bodyA, contacts[i].bodyB, contacts[i].fixedA, contacts[i].fixedB, false});
    solver.clear();
    solver.resize(count);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].takesPart) fill(bodies[i], numbers_[i]);
    return numbers_;
  }
  void takeVelocities() {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (int k = 0; k < 3 && bodies[i].takesPart; ++k) {
        bodies[i].velocity[k] = static_cast<double>(solver.bodies[numbers_[i]].velocity[k]);
        bodies[i].angularVelocity[k] = static_cast<double>(solver.bodies[numbers_[i]].velocity[3 + k]);
      }
  }
  void fill(const BodyInput& body, std::uint32_t number) {
    const Matrix3d inverse = body.inertia.isZero(0) ? Matrix3d::Zero().eval() : body.inertia.inverse().eval();
    SolverMass& mass = solver.masses[number];
    mass.inverseMass = body.mass > 0 ? static_cast<float>(1 / body.mass) : 0.0f;
    const double six[6] = {inverse(0, 0), inverse(0, 1), inverse(0, 2), inverse(1, 1), inverse(1, 2), inverse(2, 2)};
    for (int k = 0; k < 6; ++k) mass.inverseInertia[k] = static_cast<float>(six[k]);
    solver.locked[number] = body.locked;
    for (int k = 0; k < 6; ++k)
      if ((body.locked >> k & 1) != 0) solver.drives[number].keep[k] = 0;
    for (int k = 0; k < 3; ++k) {
      solver.bodies[number].velocity[k] = static_cast<float>(body.velocity[k]);
      solver.bodies[number].velocity[3 + k] = static_cast<float>(body.angularVelocity[k]);
      if (body.mass > 0 && (body.locked >> k & 1) == 0)
        solver.drives[number].gain[k] = static_cast<float>(settings.dt / settings.substeps * gravity[k]);
    }
  }

  std::vector<std::uint32_t> numbers_;
  std::vector<ContactRef> active_;
  std::vector<BodyFrame> frames_;
};

// Random directions, points and inertias; the same ones in every run, with every compiler: where several are drawn in one
// expression, braces give the order.
class TestRandom {
 public:
  explicit TestRandom(unsigned seed) : engine_(seed) {}
  double number(double least, double most) { return least + (most - least) * static_cast<double>(engine_()) / 4294967296.0; }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Vector3d direction() {
    for (;;) {
      const Vector3d v = vector(1);
      if (v.squaredNorm() < 1 && v.squaredNorm() > 0.01) return v.normalized();
    }
  }
  // Of a box that is turned anyhow.
  Matrix3d inertia(double mass) {
    const Vector3d h{number(0.2, 1), number(0.2, 1), number(0.2, 1)}, s = h.cwiseProduct(h);
    const Matrix3d own = (mass / 3 * Vector3d(s.y() + s.z(), s.z() + s.x(), s.x() + s.y())).asDiagonal();
    const Matrix3d turn = Eigen::AngleAxisd{number(0, 3), direction()}.toRotationMatrix();
    return turn * own * turn.transpose();
  }

 private:
  std::mt19937 engine_;
};

}  // namespace sunder::testing
