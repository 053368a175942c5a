# requires: geoopt==0.5.1
# packages: geoopt
# kind: optimizers
import geoopt
import torch

ball, sphere = geoopt.PoincareBall().to("cuda"), geoopt.Sphere()
points = geoopt.ManifoldParameter(ball.random(20, 4), manifold=ball)
directions = geoopt.ManifoldParameter(sphere.random_uniform(20, 4, device="cuda"), manifold=sphere)
stiefel = geoopt.Stiefel()
frames = geoopt.ManifoldParameter(stiefel.random(6, 3, device="cuda"), manifold=stiefel)
optimizer = geoopt.optim.RiemannianAdam([points, directions, frames], lr=1e-2, stabilize=5)
for _ in range(15):
    pairs = torch.randint(0, 20, (2, 32), device="cuda")
    loss = ball.dist(points[pairs[0]], points[pairs[1]]).mean()
    loss = loss + sphere.dist(directions[pairs[0]], directions[pairs[1]]).mean() + frames.sum().square()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
